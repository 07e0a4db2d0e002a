// SPDX-License-Identifier: Apache-2.0

/// What the header of one packet of a transport stream says (ISO/IEC 13818-1 §2.4.3), and the beginning of a unit in it.
struct TransportPacket: Hashable, Sendable {
    static let byteCount = 188
    static let syncByte: UInt8 = 0x47
    /// The PID of null packets.
    static let padding = 0x1FFF

    /// What a packet carries.
    enum Payload: Hashable, Sendable {
        case none
        /// More of what began in an earlier packet.
        case rest
        /// A section of a table begins.
        case section
        /// A unit of an elementary stream begins. `time` is when it is decoded, in ticks of 90 kHz, 33 bits; `nil` if it
        /// states none.
        case unit(time: Int64?)
    }

    /// The packet identifier (PID).
    let stream: Int
    /// Whether the sender knows the packet to be damaged.
    let isDamaged: Bool
    /// Counts the packets with payload of a stream, modulo 16.
    let counter: UInt8
    /// Whether the counter does not have to continue.
    let declaresDiscontinuity: Bool
    let payload: Payload
    /// Where the payload begins in the packet.
    let payloadOffset: Int

    /// - Returns: `nil` if no packet begins there, or not all of it is there.
    init?(_ bytes: [UInt8], at start: Int) {
        guard start >= 0, bytes.count - start >= Self.byteCount, bytes[start] == Self.syncByte else { return nil }
        let end = start + Self.byteCount
        isDamaged = bytes[start + 1] & 0x80 != 0
        stream = Int(bytes[start + 1] & 0x1F) << 8 | Int(bytes[start + 2])
        counter = bytes[start + 3] & 0x0F
        let hasField = bytes[start + 3] & 0x20 != 0
        let fieldLength = hasField ? Int(bytes[start + 4]) : 0
        declaresDiscontinuity = fieldLength > 0 && bytes[start + 5] & 0x80 != 0
        let content = start + 4 + (hasField ? 1 + fieldLength : 0)
        payloadOffset = min(content, end) - start
        guard bytes[start + 3] & 0x10 != 0, content < end else {
            payload = .none
            return
        }
        guard bytes[start + 1] & 0x40 != 0 else {
            payload = .rest
            return
        }
        let isUnit = end - content >= 9 && bytes[content] == 0 && bytes[content + 1] == 0 && bytes[content + 2] == 1
        payload = isUnit ? .unit(time: Self.time(bytes[content..<end])) : .section
    }

    /// The decode time in the header of a PES packet (§2.4.3.7), or the presentation time if both are the same.
    private static func time(_ unit: ArraySlice<UInt8>) -> Int64? {
        let base = unit.startIndex
        guard unit[base + 6] & 0xC0 == 0x80, unit[base + 7] & 0x80 != 0 else { return nil }
        let start = base + (unit[base + 7] & 0x40 != 0 ? 14 : 9)
        guard start + 5 <= unit.endIndex else { return nil }
        let high = Int64(unit[start] >> 1 & 7) << 30
        let middle = (Int64(unit[start + 1]) << 8 | Int64(unit[start + 2])) >> 1
        let low = (Int64(unit[start + 3]) << 8 | Int64(unit[start + 4])) >> 1
        return high | (middle << 15) | low
    }

    /// The packet under another PID.
    static func moved(_ packet: ArraySlice<UInt8>, to stream: Int) -> [UInt8] {
        var bytes = Array(packet)
        bytes[1] = bytes[1] & 0xE0 | UInt8(stream >> 8 & 0x1F)
        bytes[2] = UInt8(stream & 0xFF)
        return bytes
    }

    /// How far a time of 33 bits lies behind another: the nearest of the distances that the lost bits allow.
    static func distance(from earlier: Int64, to later: Int64) -> Int64 {
        let wrap: Int64 = 1 << 33
        let step = (later &- earlier) & (wrap - 1)
        return step < wrap / 2 ? step : step - wrap
    }
}
