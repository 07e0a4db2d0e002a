// SPDX-License-Identifier: Apache-2.0

/// A caption service embedded in the video that the container announces.
package struct CaptionService: Hashable, Sendable {
    /// In the syntax of INSTREAM-ID: `CC1`, `CC3`, `SERVICE1` to `SERVICE63`.
    package var name: String
    /// As the source spells it. Empty if unknown.
    package var language: String

    package init(name: String, language: String) {
        self.name = name
        self.language = language
    }
}

extension CaptionService {
    private static let entrySize = 6

    /// The services of a caption service descriptor (ATSC A/65 §6.9.2), each name once. If the descriptor is truncated,
    /// its complete entries are returned.
    ///
    /// - Parameter bytes: the descriptor without its tag and length.
    package static func services(descriptor bytes: [UInt8]) -> [CaptionService] {
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
