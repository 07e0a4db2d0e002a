// SPDX-License-Identifier: Apache-2.0

/// Captions within the pictures that a container announces.
package struct CaptionService: Hashable, Sendable {
    /// As INSTREAM-ID names it: `CC1`, `CC3`, `SERVICE1` to `SERVICE63`.
    package var name: String
    /// As the source has it. Empty when unknown.
    package var language: String

    package init(name: String, language: String) {
        self.name = name
        self.language = language
    }
}

extension CaptionService {
    private static let entrySize = 6

    /// The services of a caption service descriptor (ATSC A/65 §6.9.2). Of one that is cut short those that are whole; each
    /// name once.
    ///
    /// - Parameter bytes: behind its tag and length.
    package static func services(descriptor bytes: [UInt8]) -> [CaptionService] {
        guard let first = bytes.first else { return [] }
        var services: [CaptionService] = []
        for number in 0..<Int(first & 0x1F) {
            let start = 1 + number * entrySize
            guard start + entrySize <= bytes.count else { break }
            let letters = bytes[start..<(start + 3)]
            let kind = bytes[start + 3]
            // digital_cc; else line21_field.
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
