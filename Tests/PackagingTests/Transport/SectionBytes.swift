// SPDX-License-Identifier: Apache-2.0

/// Builds what the sections of all tables of a transport stream have in common.
enum SectionBytes {
    /// A section with its checksum (ISO/IEC 13818-1 Annex A), computed bit by bit.
    static func checked(_ section: [UInt8]) -> [UInt8] {
        var value: UInt32 = 0xFFFF_FFFF
        for byte in section {
            value ^= UInt32(byte) << 24
            for _ in 0..<8 { value = value >> 31 == 1 ? value << 1 ^ 0x04C1_1DB7 : value << 1 }
        }
        return section + [24, 16, 8, 0].map { UInt8(value >> UInt32($0) & 255) }
    }

    /// The packets of a section.
    ///
    /// - Parameter end: the end of an earlier section, with which the first packet begins.
    static func packets(_ section: [UInt8], on stream: Int, behind end: [UInt8] = []) -> [[UInt8]] {
        var rest = [UInt8(end.count)] + end + section
        var packets: [[UInt8]] = []
        while !rest.isEmpty {
            let flags = UInt8(stream >> 8) | (packets.isEmpty ? 0x40 : 0)
            let payload = rest.prefix(184) + [UInt8](repeating: 0xFF, count: max(0, 184 - rest.count))
            packets.append([0x47, flags, UInt8(stream & 255), 0x10] + payload)
            rest.removeFirst(min(184, rest.count))
        }
        return packets
    }
}
