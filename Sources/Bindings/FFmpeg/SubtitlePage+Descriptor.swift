// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

extension SubtitlePage {
    /// The pages of a subtitling descriptor (ETSI EN 300 468 §6.2.41).
    ///
    /// - Parameters:
    ///   - entries: five bytes each: composition page, ancillary page, type.
    ///   - languages: one per entry, separated by commas.
    static func pages(subtitling entries: [UInt8], languages: String) -> [SubtitlePage] {
        guard !entries.isEmpty, entries.count % 5 == 0 else { return [] }
        let languages = languages.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        return stride(from: 0, to: entries.count, by: 5).enumerated().map { (place, index) -> SubtitlePage in
            let number = Int(entries[index]) << 8 | Int(entries[index + 1])
            return SubtitlePage(
                number: number,
                language: place < languages.count ? languages[place] : "",
                isForHearingImpaired: (0x20...0x25).contains(entries[index + 4])
            )
        }
    }

    /// The subtitle pages in a teletext descriptor (ETSI EN 300 468 §6.2.43), each number once.
    ///
    /// - Parameters:
    ///   - entries: two bytes each: type and magazine, then the page's two digits.
    ///   - languages: one per entry, separated by commas.
    static func pages(teletext entries: [UInt8], languages: String) -> [SubtitlePage] {
        let languages = languages.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        var pages: [SubtitlePage] = []
        for (place, index) in stride(from: 0, to: entries.count - 1, by: 2).enumerated() {
            let (kind, magazine, digits) = (entries[index] >> 3, Int(entries[index] & 7), entries[index + 1])
            guard kind == 2 || kind == 5, digits >> 4 < 10, digits & 15 < 10 else { continue }
            let number = (magazine == 0 ? 8 : magazine) * 100 + Int(digits >> 4) * 10 + Int(digits & 15)
            guard !pages.contains(where: { $0.number == number }) else { continue }
            let language = place < languages.count ? languages[place] : ""
            pages.append(SubtitlePage(number: number, language: language, isForHearingImpaired: kind == 5))
        }
        return pages
    }
}
