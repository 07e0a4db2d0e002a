// SPDX-License-Identifier: Apache-2.0

/// Extracts a transport stream from RTP (RFC 3550, RFC 2250 §2): reorders packets, and drops packets that arrive twice
/// or too late. RTP packets with other payloads, such as forward error correction, are counted and ignored. Pure.
package struct RTPReceiver: Sendable {
    package struct Counts: Hashable, Sendable {
        /// Packets that did not arrive in time.
        package var lost: UInt64 = 0
        /// Packets that arrived twice, or too late.
        package var repeated: UInt64 = 0
        /// Datagrams that carry no transport stream packets.
        package var foreign: UInt64 = 0
    }

    private struct Packet {
        let sender: UInt32
        let number: UInt16
        /// In ticks of 90 kHz (RFC 2250 §2).
        let time: UInt32
        let payload: ArraySlice<UInt8>

        init?(_ bytes: [UInt8]) {
            guard bytes.count >= 12, bytes[0] >> 6 == 2 else { return nil }
            var start = 12 + 4 * Int(bytes[0] & 15)
            if bytes[0] & 0x10 != 0 {
                guard bytes.count >= start + 4 else { return nil }
                start += 4 + 4 * (Int(bytes[start + 2]) << 8 | Int(bytes[start + 3]))
            }
            let padding = bytes[0] & 0x20 != 0 ? Int(bytes[bytes.count - 1]) : 0
            guard start < bytes.count - padding else { return nil }
            payload = bytes[start..<bytes.count - padding]
            number = UInt16(bytes[2]) << 8 | UInt16(bytes[3])
            time = bytes[4..<8].reduce(0) { $0 << 8 | UInt32($1) }
            sender = bytes[8..<12].reduce(0) { $0 << 8 | UInt32($1) }
        }

        /// Whether the payload is whole transport stream packets. The payload type is ignored, because dynamic types
        /// are common.
        var isTransportStream: Bool { payload.first == 0x47 && payload.count % 188 == 0 }
    }

    /// The number of packets held back while an earlier one is missing.
    package static let depth = 64
    /// In ticks of 90 kHz. If packets whose times differ by more than this are held back, the missing one is given up: a
    /// slow stream, such as a radio program, takes many seconds to send `depth` packets.
    package static let longestWait: Int32 = 45_000
    /// A larger jump of the sequence number means that the sender has restarted.
    private static let longestJump: Int16 = 1000

    package private(set) var counts = Counts()
    private var sender: UInt32?
    private var next: UInt16 = 0
    private var waiting: [UInt16: Packet] = [:]

    /// Whether datagrams without RTP are passed on unchanged.
    private let takesOthers: Bool

    /// - Parameter takesOthers: whether datagrams without RTP are passed on unchanged, until the first RTP packet
    ///   arrives.
    package init(takesOthers: Bool = false) { self.takesOthers = takesOthers }

    /// - Returns: the transport stream bytes that are now complete, in order.
    package mutating func take(_ datagram: [UInt8]) -> [UInt8] {
        guard let packet = Packet(datagram), packet.isTransportStream else {
            if takesOthers, sender == nil { return datagram }
            counts.foreign += 1
            return []
        }
        var output: [UInt8] = []
        let distance = Int16(bitPattern: packet.number &- next)
        if packet.sender != sender || abs(Int32(distance)) > Int32(Self.longestJump) {
            while !waiting.isEmpty { skip(&output) }
            sender = packet.sender
            next = packet.number
        } else if distance < 0 || waiting[packet.number] != nil {
            counts.repeated += 1
            return []
        }
        waiting[packet.number] = packet
        deliver(&output)
        while waiting.count >= Self.depth || waits(tooLongAt: packet.time) { skip(&output) }
        return output
    }

    /// Whether the first packet held back was sent more than `longestWait` before `time`.
    private func waits(tooLongAt time: UInt32) -> Bool {
        guard let first, let sent = waiting[first]?.time else { return false }
        return Int32(bitPattern: time &- sent) > Self.longestWait
    }

    /// The number of the first packet held back.
    private var first: UInt16? { waiting.keys.min { $0 &- next < $1 &- next } }

    private mutating func deliver(_ output: inout [UInt8]) {
        while let packet = waiting.removeValue(forKey: next) {
            output += packet.payload
            next &+= 1
        }
    }

    /// Gives up the packets before the first one that has arrived.
    private mutating func skip(_ output: inout [UInt8]) {
        guard let first else { return }
        counts.lost += UInt64(first &- next)
        next = first
        deliver(&output)
    }
}
