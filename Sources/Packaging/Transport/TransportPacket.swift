// SPDX-License-Identifier: Apache-2.0

/// The header of one transport stream packet (ISO/IEC 13818-1 §2.4.3), and the start of a unit in it.
package struct TransportPacket: Hashable, Sendable {
    static let byteCount = 188
    static let syncByte: UInt8 = 0x47
    /// The PID of null packets.
    static let padding = 0x1FFF

    /// The kind of data in a packet's payload.
    enum Payload: Hashable, Sendable {
        case none
        /// The continuation of a unit or section that began in an earlier packet.
        case rest
        /// A table section begins.
        case section
        /// A PES packet begins. `time` is its DTS, or its PTS if there is no DTS, in 90 kHz ticks, 33 bits; `nil` if it
        /// has neither.
        case unit(time: Int64?)
    }

    /// The packet identifier (PID).
    let stream: Int
    /// transport_error_indicator: the sender knows that the packet is damaged.
    let isDamaged: Bool
    /// Whether transport_scrambling_control declares the payload as scrambled.
    let isScrambled: Bool
    /// program_clock_reference_base, in 90 kHz ticks, 33 bits. `nil` if the packet has none.
    let clock: Int64?
    /// continuity_counter: counts the packets of a stream that have a payload, modulo 16.
    let counter: UInt8
    /// discontinuity_indicator: the counter need not continue.
    let declaresDiscontinuity: Bool
    /// random_access_indicator: decoding can begin with the unit that begins in the packet.
    let isRandomAccess: Bool
    let payload: Payload
    /// The offset of the payload in the packet.
    let payloadOffset: Int

    /// - Returns: `nil` if no complete packet begins at `start`.
    init?(_ bytes: [UInt8], at start: Int) {
        guard start >= 0, bytes.count - start >= Self.byteCount, bytes[start] == Self.syncByte else { return nil }
        let end = start + Self.byteCount
        isDamaged = bytes[start + 1] & 0x80 != 0
        stream = Int(bytes[start + 1] & 0x1F) << 8 | Int(bytes[start + 2])
        isScrambled = bytes[start + 3] & 0xC0 != 0
        counter = bytes[start + 3] & 0x0F
        let hasField = bytes[start + 3] & 0x20 != 0
        let fieldLength = hasField ? Int(bytes[start + 4]) : 0
        declaresDiscontinuity = fieldLength > 0 && bytes[start + 5] & 0x80 != 0
        isRandomAccess = fieldLength > 0 && bytes[start + 5] & 0x40 != 0
        let hasClock = fieldLength >= 7 && fieldLength <= 183 && bytes[start + 5] & 0x10 != 0
        clock =
            hasClock
            ? bytes[start + 6..<start + 10].reduce(0) { $0 << 8 | Int64($1) } << 1 | Int64(bytes[start + 10] >> 7) : nil
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

    /// The DTS in a PES header (§2.4.3.7), or the PTS if there is no DTS.
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

    /// The places of packets at the start of a transport stream: 188 bytes apart, or more with a timestamp or a checksum
    /// for each packet.
    struct Spacing: Hashable, Sendable {
        let first: Int
        let size: Int

        /// - Returns: `nil` if the bytes are not the start of a transport stream.
        init?(of bytes: [UInt8]) {
            for size in [TransportPacket.byteCount, 192, 204] {
                for first in 0..<min(size, bytes.count) {
                    let places = stride(from: first, to: min(bytes.count, first + 5 * size), by: size)
                    guard Array(places).count >= 3, places.allSatisfy({ bytes[$0] == TransportPacket.syncByte }) else {
                        continue
                    }
                    (self.first, self.size) = (first, size)
                    return
                }
            }
            return nil
        }
    }

    /// Whether bytes are the start of a transport stream, as far as they tell.
    package static func isTransportStream(_ start: [UInt8]) -> Bool { Spacing(of: start) != nil }

    /// The packet under another PID.
    static func moved(_ packet: ArraySlice<UInt8>, to stream: Int) -> [UInt8] {
        var bytes = Array(packet)
        bytes[1] = bytes[1] & 0xE0 | UInt8(stream >> 8 & 0x1F)
        bytes[2] = UInt8(stream & 0xFF)
        return bytes
    }

    /// The signed distance between two 33-bit times: the shortest one, because higher bits are lost.
    static func distance(from earlier: Int64, to later: Int64) -> Int64 {
        let wrap: Int64 = 1 << 33
        let step = (later &- earlier) & (wrap - 1)
        return step < wrap / 2 ? step : step - wrap
    }
}
