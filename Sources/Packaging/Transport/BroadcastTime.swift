// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// The time of day, from a time and date section or a time offset section (ETSI EN 300 468 §5.2.5 and §5.2.6), and the
/// codes of moments and lengths in all tables.
struct BroadcastTime: Hashable, Sendable {
    /// In microseconds since 1970.
    let time: Int64
    /// How far local time is ahead of UTC in the first region that the section names, in seconds. `nil` if it names
    /// none.
    let utcOffset: Int?

    /// - Parameter section: a complete section. If its kind has a checksum, that is verified.
    /// - Returns: `nil` if the section is damaged or of another kind.
    init?(_ section: [UInt8]) {
        guard section.count >= 8, let time = Self.moment(section[3..<8]) else { return nil }
        self.time = time
        switch section[0] {
        case 0x70: utcOffset = nil
        case 0x73:
            guard section.count >= 14, PacketSections.isIntact(section) else { return nil }
            let length = Int(section[8] & 0x0F) << 8 | Int(section[9])
            utcOffset = Self.offset(section[10..<section.count - 4].prefix(length))
        default: return nil
        }
    }

    /// The offset in the first local_time_offset_descriptor (§6.2.20).
    private static func offset(_ descriptors: ArraySlice<UInt8>) -> Int? {
        var rest = descriptors
        while rest.count >= 2, let tag = rest.first {
            let content = rest.dropFirst(2).prefix(Int(rest[rest.startIndex + 1]))
            rest = rest.dropFirst(2 + content.count)
            guard tag == 0x58, content.count >= 13 else { continue }
            let base = content.startIndex
            guard let hours = digits(content[base + 4]), let minutes = digits(content[base + 5]), minutes < 60 else {
                continue
            }
            let seconds = hours * 3600 + minutes * 60
            return content[base + 3] & 1 == 1 ? -seconds : seconds
        }
        return nil
    }

    /// A Modified Julian Date of 16 bits, and the time of day in six BCD digits, in microseconds since 1970 (Annex C).
    /// `nil` if undefined.
    static func moment(_ bytes: ArraySlice<UInt8>) -> Int64? {
        guard bytes.count == 5, let time = length(bytes.dropFirst(2)), time < .seconds(86_400) else { return nil }
        let day = Int64(bytes[bytes.startIndex]) << 8 | Int64(bytes[bytes.startIndex + 1])
        let days = day - 40_587
        return days * 86_400_000_000 + time.microseconds
    }

    /// A length in six BCD digits: hours, minutes, seconds. `nil` if undefined.
    static func length(_ bytes: ArraySlice<UInt8>) -> MediaTime? {
        let fields = bytes.compactMap { digits($0) }
        guard bytes.count == 3, fields.count == 3, fields[1] < 60, fields[2] < 60 else { return nil }
        let seconds = (fields[0] * 60 + fields[1]) * 60 + fields[2]
        return MediaTime(microseconds: Int64(seconds) * 1_000_000)
    }

    private static func digits(_ byte: UInt8) -> Int? {
        guard byte >> 4 < 10, byte & 15 < 10 else { return nil }
        return Int(byte >> 4) * 10 + Int(byte & 15)
    }
}
