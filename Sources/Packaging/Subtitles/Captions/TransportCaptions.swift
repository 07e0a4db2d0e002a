// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// The captions announced by the program maps at the start of an MPEG transport stream (ISO/IEC 13818-1 §2.4.4, ATSC
/// A/65 §6.9.2).
package struct TransportCaptions: Sendable {
    /// The number of bytes to examine at the start of a stream: tables are repeated ten times per second.
    package static let byteCount = 1 << 20

    private static let descriptorTag: UInt8 = 0x86
    private static let sectionLimit = 1024 + 3
    private static let tableLimit = 64

    /// By packet identifier (PID) of the stream.
    package private(set) var services: [Int: [CaptionService]] = [:]

    private var maps: Set<Int> = []
    /// By packet identifier (PID): the section being assembled.
    private var sections: [Int: [UInt8]] = [:]

    /// - Parameter bytes: the start of a stream; damaged packets are skipped.
    package init(start bytes: [UInt8]) {
        guard let spacing = TransportPacket.Spacing(of: bytes) else { return }
        for start in stride(from: spacing.first, to: bytes.count - 187, by: spacing.size) where bytes[start] == 0x47 {
            take(bytes[start..<(start + 188)])
        }
    }

    private mutating func take(_ packet: ArraySlice<UInt8>) {
        let base = packet.startIndex
        let identifier = Int(packet[base + 1] & 0x1F) << 8 | Int(packet[base + 2])
        guard identifier == 0 || maps.contains(identifier), packet[base + 3] & 0x10 != 0 else { return }
        var start = base + 4
        if packet[base + 3] & 0x20 != 0 { start += 1 + Int(packet[start]) }
        guard start < packet.endIndex else { return }
        if packet[base + 1] & 0x40 != 0 {
            // pointer_field
            start += 1 + Int(packet[start])
            guard start < packet.endIndex else { return }
            sections[identifier] = []
        }
        guard sections[identifier] != nil else { return }
        sections[identifier]? += packet[start...]
        finish(identifier)
    }

    private mutating func finish(_ identifier: Int) {
        guard let section = sections[identifier], section.count >= 3 else { return }
        let size = 3 + (Int(section[1] & 0x0F) << 8 | Int(section[2]))
        guard size <= Self.sectionLimit else { return sections[identifier] = nil }
        guard section.count >= size else { return }
        sections[identifier] = nil
        // The last four bytes are a checksum.
        let body = Array(section[..<max(0, size - 4)])
        if identifier == 0, section[0] == 0 { readAssociations(body) }
        if identifier != 0, section[0] == 2 { readMap(body) }
    }

    /// The program association section, §2.4.4.3.
    private mutating func readAssociations(_ section: [UInt8]) {
        for index in stride(from: 8, to: section.count - 3, by: 4) where maps.count < Self.tableLimit {
            let program = Int(section[index]) << 8 | Int(section[index + 1])
            if program != 0 { maps.insert(Int(section[index + 2] & 0x1F) << 8 | Int(section[index + 3])) }
        }
    }

    /// The program map section, §2.4.4.8.
    private mutating func readMap(_ section: [UInt8]) {
        guard section.count >= 12 else { return }
        var index = 12 + (Int(section[10] & 0x0F) << 8 | Int(section[11]))
        while index + 5 <= section.count {
            let stream = Int(section[index + 1] & 0x1F) << 8 | Int(section[index + 2])
            let end = index + 5 + (Int(section[index + 3] & 0x0F) << 8 | Int(section[index + 4]))
            index += 5
            while index + 2 <= min(end, section.count) {
                let next = index + 2 + Int(section[index + 1])
                if section[index] == Self.descriptorTag, next <= section.count, services.count < Self.tableLimit {
                    services[stream] = CaptionService.services(descriptor: Array(section[(index + 2)..<next]))
                }
                index = next
            }
            index = end
        }
    }
}

extension CaptionService {
    private static let entrySize = 6

    /// The services of a caption service descriptor (ATSC A/65 §6.9.2), each name once. If the descriptor is truncated,
    /// its complete entries are returned.
    ///
    /// - Parameter bytes: the descriptor without its tag and length.
    static func services(descriptor bytes: [UInt8]) -> [CaptionService] {
        guard let first = bytes.first else { return [] }
        var services: [CaptionService] = []
        for number in 0..<Int(first & 0x1F) {
            let start = 1 + number * entrySize
            guard start + entrySize <= bytes.count else { break }
            let letters = bytes[start..<(start + 3)]
            let kind = bytes[start + 3]
            // digital_cc, otherwise line21_field.
            let name = kind & 0x80 != 0 ? "SERVICE\(kind & 0x3F)" : kind & 1 == 0 ? "CC1" : "CC3"
            let isNamed = name != "SERVICE0" && !services.contains { $0.name == name }
            guard isNamed else { continue }
            let isLanguage = letters.allSatisfy { (0x41...0x5A).contains($0 & 0xDF) }
            services.append(
                CaptionService(name: name, language: isLanguage ? String(decoding: letters, as: UTF8.self) : "")
            )
        }
        return services
    }
}
