// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Joins the bytes that successive connections deliver of one live transport stream. Drops bytes that a connection
/// repeats, marks gaps, follows streams to other PIDs, and counts errors. Pure.
///
/// If a connection repeats earlier packets byte by byte, the stream continues without a gap. If it repeats earlier
/// units in other packets, each elementary stream continues with its first unit that is later than its last one.
package struct TransportIntake: Sendable {
    private enum Phase {
        /// The first packet of the connection has not been found.
        case aligning
        /// The source is not a transport stream: its bytes are passed on unchanged.
        case opaque
        case flowing
        /// It is not known yet whether the connection repeats earlier bytes. Its tables are held back.
        case matching(tables: [UInt8], byteCount: Int)
        /// The connection repeats this many more bytes.
        case repeating(Int64)
    }

    /// A connection is aligned at the first position at which this many packets in a row, and the one after them, begin
    /// with the sync byte.
    private static let alignedPackets = 3
    /// In 90 kHz ticks. A unit that is earlier than the last one by more than this is not a repetition.
    private static let longestRepetition: Int64 = 60 * 90_000
    /// In bytes. If a connection has no known and no later unit within this distance, it is taken to repeat nothing.
    private static let searchLimit = 4 << 20
    /// In bytes. A connection that repeats a stream of up to this length from its start is not taken for a restart of
    /// the stream.
    private static let shortStream: Int64 = 64 << 20

    private var phase = Phase.aligning
    /// The bytes after the last complete packet.
    private var pending: [UInt8] = []
    /// The number of bytes passed on so far.
    private var length: Int64 = 0
    /// The number of bytes received so far, without repetitions.
    private var end: Int64 = 0
    /// The position after the latest gap, from which no byte is missing.
    private var unbroken: Int64 = 0
    private var marks = PacketMarks()
    /// The time of the latest unit, by PID.
    private var times: [Int: Int64] = [:]
    /// The continuity counter of the latest packet, by PID.
    private var counters: [Int: UInt8] = [:]
    /// After a gap, the PIDs on which a unit or section has begun. `nil` before the first gap.
    private var begun: Set<Int>?
    private var streams = StreamSuccession()
    private var metadata = StreamMetadata()
    /// The first PIDs of the video streams that continue in another codec.
    private var replaced: Set<Int> = []
    /// The first PIDs of the video streams without which the stream is of no use.
    private var required: Set<Int> = []
    package private(set) var reception = StreamReception()

    package init() {}

    /// Whether another connection can continue where this one ends.
    package var canContinue: Bool {
        if case .opaque = phase { false } else { length > 0 }
    }

    /// From now on, the transport stream ends where this video stream continues in another codec, because decoders and
    /// init segments are made for the first codec. A transport stream with one video stream ends there in any case.
    ///
    /// - Parameter stream: the first PID of the video stream.
    package mutating func require(stream: Int) {
        required.insert(stream)
        endIfReplaced()
    }

    private mutating func endIfReplaced() {
        if !required.isDisjoint(with: replaced) { reception.isReplaced = true }
    }

    /// Accepts bytes of the current connection.
    ///
    /// - Returns: the bytes that belong to the stream, in order.
    package mutating func take(_ bytes: [UInt8]) -> [UInt8] {
        if case .opaque = phase { return bytes }
        if reception.isReplaced { return [] }
        pending += bytes
        if case .aligning = phase, !align() {
            guard case .opaque = phase else { return [] }
            defer { pending = [] }
            return pending
        }
        var output: [UInt8] = []
        var place = 0
        while pending.count - place >= TransportPacket.byteCount, !reception.isReplaced {
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

    /// Ends the current connection. The bytes that follow belong to another one.
    ///
    /// - Returns: held-back bytes that belong to the stream.
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

    /// Searches for the first packet of a connection.
    ///
    /// - Returns: whether it was found; `pending` then begins with it.
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

    /// The distance from `place` to the next packet, in bytes.
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
            if known == marks.first, end - known > Self.shortStream { reception.hasRestarted = true }
            reception.reconnections.append(StreamReception.Reconnection(position: length, isSeamless: true))
            reception.repeatedByteCount += Int64(count - TransportPacket.byteCount)
            return skip(end - known)
        }
        if known != nil, known == marks.first { reception.hasRestarted = true }
        if known == nil, isNew(time, of: packet.stream) {
            resume(&output)
            pass(packet, place, &output)
        } else if count > Self.searchLimit * 16 {
            resume(&output)
        }
    }

    /// Continues the stream after a gap.
    private mutating func resume(_ output: inout [UInt8]) {
        guard case .matching(let tables, _) = phase else { return }
        reception.reconnections.append(StreamReception.Reconnection(position: length, isSeamless: false))
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

    /// Passes a packet on, unless it belongs to a unit whose start is missing or that was passed on before.
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

    /// Passes a packet on under the first PID of its stream.
    private mutating func keep(_ packet: TransportPacket, _ bytes: ArraySlice<UInt8>, _ output: inout [UInt8]) {
        end += Int64(TransportPacket.byteCount)
        let payload = bytes.dropFirst(packet.payloadOffset)
        let outcome = streams.take(packet, payload)
        for kind in streams.takeChanges() { note(kind) }
        let place = if case .moved(let stream) = outcome { stream } else { packet.stream }
        let isSplice = streams.spliceStreams.contains(packet.stream)
        metadata.take(packet, payload, as: place, isSplice: isSplice, at: length, into: &reception)
        switch outcome {
        case .kept: output += bytes
        case .moved(let stream): output += TransportPacket.moved(bytes, to: stream)
        case .dropped: return
        }
        length += Int64(TransportPacket.byteCount)
    }

    private mutating func note(_ change: StreamReception.Change.Kind) {
        switch change {
        case .replaced(_, let stream, _, _):
            replaced.insert(stream)
            if streams.hasOneVideo { required.insert(stream) }
        case .returned(_, let stream, _), .moved(_, let stream, _, _): replaced.remove(stream)
        case .appeared, .vanished: break
        }
        if reception.changes.count < StreamReception.changeLimit {
            reception.changes.append(StreamReception.Change(position: length, kind: change))
        }
        endIfReplaced()
    }

    /// Whether the packet's stream has resumed since the last gap, or resumes with this packet.
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
        // A packet may be sent twice (ISO/IEC 13818-1 §2.4.3.3).
        guard let last, last != packet.counter, !packet.declaresDiscontinuity else { return }
        if packet.counter != (last + 1) & 15 { reception.continuityErrors += 1 }
    }
}

/// Recognises packets by their bytes: the first noted packet and the latest ones. Pure.
private struct PacketMarks: Sendable {
    /// The number of packets remembered: minutes of video and audio.
    private static let limit = 16_384

    private var places: [UInt64: Int64] = [:]
    /// A ring in order of arrival; the latest is before `next`.
    private var digests: [UInt64] = []
    private var next = 0
    private var start: (digest: UInt64, place: Int64)?

    /// The position of the first packet.
    var first: Int64? { start?.place }

    mutating func note(_ packet: ArraySlice<UInt8>, at place: Int64) {
        let digest = StableHash(of: packet).value
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
        let digest = StableHash(of: packet).value
        return places[digest] ?? (digest == start?.digest ? start?.place : nil)
    }
}
