// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Joins what successive connections deliver of a live transport stream. Drops what a connection repeats, marks where
/// bytes are missing, follows streams that move, and counts damage. Pure.
///
/// If a connection repeats earlier packets byte by byte, the stream continues without a gap. If it repeats earlier
/// units in other packets, each elementary stream continues with its first unit that is later than its last one.
package struct TransportIntake: Sendable {
    private enum Phase {
        /// The first packet of the connection has not been found.
        case aligning
        /// The source is not a transport stream: its bytes are taken as they are.
        case opaque
        case flowing
        /// Whether the connection repeats something is not known yet. Its tables are held back.
        case matching(tables: [UInt8], byteCount: Int)
        /// The connection repeats this many more bytes.
        case repeating(Int64)
    }

    /// A connection is aligned where this many packets in a row, and the next one, begin with the sync byte.
    private static let alignedPackets = 3
    /// In ticks of 90 kHz. A unit that is earlier than the last one by more is not a repetition.
    private static let longestRepetition: Int64 = 60 * 90_000
    /// A connection in which no known or later unit is found in this many bytes counts as one that repeats nothing.
    private static let searchLimit = 4 << 20
    /// In bytes. A stream up to this length may be repeated from its start without having ended.
    private static let shortStream: Int64 = 64 << 20

    private var phase = Phase.aligning
    /// What follows the last whole packet.
    private var pending: [UInt8] = []
    /// How many bytes were passed on so far.
    private var length: Int64 = 0
    /// How many bytes were received so far, without those that came twice.
    private var end: Int64 = 0
    /// The place of the latest gap: behind it, no byte is missing.
    private var unbroken: Int64 = 0
    private var marks = PacketMarks()
    /// The time of the latest unit of each stream.
    private var times: [Int: Int64] = [:]
    /// The counter of the latest packet of each stream.
    private var counters: [Int: UInt8] = [:]
    /// After a gap, the streams of which something has begun; `nil` if nothing is missing of any.
    private var begun: Set<Int>?
    private var streams = StreamSuccession()
    package private(set) var reception = StreamReception()

    package init() {}

    /// Whether another connection can go on where this one ends.
    package var canContinue: Bool {
        if case .opaque = phase { false } else { length > 0 }
    }

    /// Takes bytes of the current connection.
    ///
    /// - Returns: the bytes that belong to the stream, in order.
    package mutating func take(_ bytes: [UInt8]) -> [UInt8] {
        if case .opaque = phase { return bytes }
        pending += bytes
        if case .aligning = phase, !align() {
            guard case .opaque = phase else { return [] }
            defer { pending = [] }
            return pending
        }
        var output: [UInt8] = []
        var place = 0
        while pending.count - place >= TransportPacket.byteCount {
            if let packet = TransportPacket(pending, at: place) {
                sort(packet, place, &output)
                place += TransportPacket.byteCount
            } else {
                reception.transportErrors += 1
                place += distanceToPacket(from: place)
            }
        }
        pending.removeFirst(place)
        return output
    }

    /// The connection is over; what follows is of another one.
    ///
    /// - Returns: bytes that belong to the stream and were held back.
    package mutating func disconnected() -> [UInt8] {
        defer { pending = [] }
        switch phase {
        case .opaque: return []
        case .aligning where end == 0:
            phase = .opaque
            return pending
        case .aligning, .flowing, .matching, .repeating:
            phase = .aligning
            return []
        }
    }

    // MARK: Packets

    /// Looks for the first packet of a connection.
    ///
    /// - Returns: whether `pending` begins with it.
    private mutating func align() -> Bool {
        let length = TransportPacket.byteCount
        let needed = length * Self.alignedPackets + 1
        var start = 0
        while pending.count - start >= needed {
            let isAligned = (0...Self.alignedPackets).allSatisfy {
                pending[start + $0 * length] == TransportPacket.syncByte
            }
            if isAligned {
                pending.removeFirst(start)
                phase = end == 0 ? .flowing : .matching(tables: [], byteCount: 0)
                return true
            }
            start += 1
            if end == 0, start > length {
                phase = .opaque
                return false
            }
        }
        if end > 0 { pending.removeFirst(start) }
        return false
    }

    /// How far away the next packet is.
    private func distanceToPacket(from place: Int) -> Int {
        var next = place + 1
        while next < pending.count {
            let after = next + TransportPacket.byteCount
            if pending[next] == TransportPacket.syncByte,
                after >= pending.count || pending[after] == TransportPacket.syncByte
            {
                break
            }
            next += 1
        }
        return next - place
    }

    private mutating func sort(_ packet: TransportPacket, _ place: Int, _ output: inout [UInt8]) {
        switch phase {
        case .aligning, .opaque, .flowing: pass(packet, place, &output)
        case .repeating(let rest): skip(rest)
        case .matching(let tables, let count):
            phase = .matching(tables: tables, byteCount: count + TransportPacket.byteCount)
            match(packet, place, &output)
        }
    }

    private mutating func skip(_ rest: Int64) {
        let length = Int64(TransportPacket.byteCount)
        reception.repeatedByteCount += length
        phase = rest > length ? .repeating(rest - length) : .flowing
    }

    private mutating func match(_ packet: TransportPacket, _ place: Int, _ output: inout [UInt8]) {
        guard case .matching(let tables, let count) = phase else { return }
        guard case .unit(let time?) = packet.payload else {
            if packet.payload == .section, times[packet.stream] == nil {
                let next = pending[place..<place + TransportPacket.byteCount]
                phase = .matching(tables: tables + next, byteCount: count)
            }
            if count > Self.searchLimit { resume(&output) }
            return
        }
        let known = marks.place(of: pending[place..<place + TransportPacket.byteCount])
        if let known, known >= unbroken {
            if known == marks.first, end - known > Self.shortStream { reception.hasBegunAnew = true }
            reception.joints.append(StreamReception.Joint(position: length, isSeamless: true))
            reception.repeatedByteCount += Int64(count - TransportPacket.byteCount)
            return skip(end - known)
        }
        if known != nil, known == marks.first { reception.hasBegunAnew = true }
        if known == nil, isNew(time, of: packet.stream) {
            resume(&output)
            pass(packet, place, &output)
        } else if count > Self.searchLimit * 16 {
            resume(&output)
        }
    }

    /// Continues the stream behind a gap.
    private mutating func resume(_ output: inout [UInt8]) {
        guard case .matching(let tables, _) = phase else { return }
        reception.joints.append(StreamReception.Joint(position: length, isSeamless: false))
        unbroken = end
        counters = [:]
        begun = []
        phase = .flowing
        for place in stride(from: 0, to: tables.count, by: TransportPacket.byteCount) {
            guard let packet = TransportPacket(tables, at: place) else { continue }
            keep(packet, tables[place..<place + TransportPacket.byteCount], &output)
        }
    }

    private func isNew(_ time: Int64, of stream: Int) -> Bool {
        guard let last = times[stream] else { return true }
        let step = TransportPacket.distance(from: last, to: time)
        return step > 0 || step < -Self.longestRepetition
    }

    /// Passes a packet on, unless it belongs to a unit whose beginning is missing or that came before.
    private mutating func pass(_ packet: TransportPacket, _ place: Int, _ output: inout [UInt8]) {
        guard begins(packet) else {
            reception.repeatedByteCount += Int64(TransportPacket.byteCount)
            return
        }
        let bytes = pending[place..<place + TransportPacket.byteCount]
        count(packet)
        if case .unit(let time?) = packet.payload, !packet.isDamaged {
            times[packet.stream] = time
            marks.note(bytes, at: end)
        }
        keep(packet, bytes, &output)
    }

    /// Passes a packet on under the PID that its stream had first.
    private mutating func keep(_ packet: TransportPacket, _ bytes: ArraySlice<UInt8>, _ output: inout [UInt8]) {
        end += Int64(TransportPacket.byteCount)
        let fate = streams.take(packet, bytes.dropFirst(packet.payloadOffset))
        for kind in streams.takeChanges() where reception.changes.count < StreamReception.changeLimit {
            reception.changes.append(StreamReception.Change(position: length, kind: kind))
        }
        switch fate {
        case .kept: output += bytes
        case .moved(let stream): output += TransportPacket.moved(bytes, to: stream)
        case .dropped: return
        }
        length += Int64(TransportPacket.byteCount)
    }

    /// Whether the stream of a packet goes on with it or has gone on since the last gap.
    private mutating func begins(_ packet: TransportPacket) -> Bool {
        guard let begun, !begun.contains(packet.stream) else { return true }
        switch packet.payload {
        case .none: return true
        case .rest: return packet.stream == TransportPacket.padding
        case .unit(let time?) where !isNew(time, of: packet.stream): return false
        case .section, .unit:
            self.begun?.insert(packet.stream)
            return true
        }
    }

    private mutating func count(_ packet: TransportPacket) {
        if packet.isDamaged { reception.transportErrors += 1 }
        guard packet.payload != .none, packet.stream != TransportPacket.padding, !packet.isDamaged else { return }
        let last = counters.updateValue(packet.counter, forKey: packet.stream)
        // A packet may be sent twice (§2.4.3.3).
        guard let last, last != packet.counter, !packet.declaresDiscontinuity else { return }
        if packet.counter != (last + 1) & 15 { reception.continuityErrors += 1 }
    }
}

/// Finds packets again by their bytes: the first one that was noted, and the latest. Pure.
private struct PacketMarks: Sendable {
    /// The limit of packets: minutes of video and audio.
    private static let limit = 16_384

    private var places: [UInt64: Int64] = [:]
    /// In the order in which they came, the latest before `next`.
    private var digests: [UInt64] = []
    private var next = 0
    private var start: (digest: UInt64, place: Int64)?

    /// The place of the first packet.
    var first: Int64? { start?.place }

    mutating func note(_ packet: ArraySlice<UInt8>, at place: Int64) {
        let digest = Self.digest(packet)
        if start == nil { start = (digest, place) }
        if digests.count < Self.limit {
            digests.append(digest)
        } else {
            places[digests[next]] = nil
            digests[next] = digest
        }
        next = (next + 1) % Self.limit
        places[digest] = place
    }

    func place(of packet: ArraySlice<UInt8>) -> Int64? {
        let digest = Self.digest(packet)
        return places[digest] ?? (digest == start?.digest ? start?.place : nil)
    }

    /// FNV-1a.
    private static func digest(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}
