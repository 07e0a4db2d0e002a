// SPDX-License-Identifier: Apache-2.0

/// The packet and service layers of CTA-708 (§5, §6): extracts the bytes of one service from `cc_data`.
package struct ServicePackets: Sendable {
    package enum Piece: Hashable, Sendable {
        /// The bytes of one service block.
        case block([UInt8])
        /// Packets are missing at this point.
        case gap
    }

    private struct Packet {
        /// The declared size, without the packet's header.
        let size: Int
        var bytes: [UInt8] = []
    }

    private static let startMarker: UInt8 = 3
    private static let dataMarker: UInt8 = 2

    private let number: Int
    private var packet: Packet?
    /// The sequence number of the latest packet.
    private var sequence: UInt8?

    /// - Parameter number: the service number, 1 … 63.
    package init(number: Int) { self.number = number }

    /// - Parameter triplets: in presentation order.
    package mutating func pieces(from triplets: [UInt8]) -> [Piece] {
        var found: [Piece] = []
        for index in stride(from: 0, to: triplets.count - 2, by: 3) where triplets[index] & 4 != 0 {
            switch triplets[index] & 3 {
            case Self.startMarker:
                found += blocks()
                found += begin(triplets[index + 1])
                packet?.bytes.append(triplets[index + 2])
            case Self.dataMarker: packet?.bytes += triplets[(index + 1)...(index + 2)]
            default: continue
            }
            if let packet, packet.bytes.count >= packet.size { found += blocks() }
        }
        return found
    }

    /// The numbers of the services whose blocks start within the given `cc_data`.
    package static func services(in triplets: [UInt8]) -> Set<Int> {
        var found: Set<Int> = []
        var bytes: [UInt8] = []
        var hasBegun = false
        func note() { found.formUnion(blocks(of: bytes).map(\.number)) }
        for index in stride(from: 0, to: triplets.count - 2, by: 3) where triplets[index] & 4 != 0 {
            let (first, second) = (triplets[index + 1], triplets[index + 2])
            if triplets[index] & 3 == startMarker {
                note()
                (bytes, hasBegun) = ([second], true)
            } else if triplets[index] & 3 == dataMarker, hasBegun {
                bytes += [first, second]
            }
        }
        note()
        return found
    }

    /// Starts a packet. Returns a gap unless its sequence number follows the previous one, or repeats it: then the
    /// encoder does not count.
    private mutating func begin(_ head: UInt8) -> [Piece] {
        let (number, code) = (head >> 6, Int(head & 0x3F))
        defer { sequence = number }
        packet = Packet(size: (code == 0 ? 128 : code * 2) - 1)
        guard let sequence, number != sequence, number != (sequence + 1) & 3 else { return [] }
        return [.gap]
    }

    /// The blocks of the current packet, which ends here. If it is truncated, its complete blocks are returned.
    private mutating func blocks() -> [Piece] {
        guard let ended = packet else { return [] }
        packet = nil
        let bytes = Array(ended.bytes.prefix(ended.size))
        return Self.blocks(of: bytes).compactMap { block in
            block.number == number && block.range.upperBound <= bytes.count ? .block(Array(bytes[block.range])) : nil
        }
    }

    /// The blocks of a packet; the last one may extend beyond its end.
    ///
    /// - Parameter packet: without its header.
    private static func blocks(of packet: [UInt8]) -> [(number: Int, range: Range<Int>)] {
        var found: [(number: Int, range: Range<Int>)] = []
        var index = 0
        while index < packet.count {
            var number = Int(packet[index] >> 5)
            let count = Int(packet[index] & 0x1F)
            index += 1
            // A null block: the rest is fill.
            guard number != 0, count > 0 else { break }
            if number == 7 {
                guard index < packet.count, packet[index] & 0x3F >= 7 else { break }
                number = Int(packet[index] & 0x3F)
                index += 1
            }
            found.append((number, index..<(index + count)))
            index += count
        }
        return found
    }
}
