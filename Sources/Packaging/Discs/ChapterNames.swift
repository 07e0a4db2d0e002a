// SPDX-License-Identifier: Apache-2.0

/// The names of the chapters of a Blu-ray title, from the disc's library (`META/TN/tnmt_*.xml`). Pure.
package enum ChapterNames {
    /// The largest size of a library file, in bytes.
    package static let byteLimit = 256 << 10
    /// The maximum number of names: a playlist has no more marks.
    private static let countLimit = 999

    /// The file with the names for a playlist: the English one, or else the first by name. `nil` if there is none.
    ///
    /// - Parameters:
    ///   - playlist: the name of its file, such as `00800.mpls`.
    ///   - files: the names in the folder.
    package static func file(for playlist: String, among files: [String]) -> String? {
        let number = playlist.prefix { $0 != "." }
        // The language is an ISO 639-2 code.
        let found = files.filter { name in
            let parts = name.lowercased().split(separator: "_", omittingEmptySubsequences: false)
            return parts.count == 3 && parts[0] == "tnmt" && parts[2] == "\(number).xml"
        }
        return found.first { $0.lowercased().hasPrefix("tnmt_eng_") } ?? found.min()
    }

    /// The names in the order of the playlist's marks; `nil` for a chapter without a name. Empty if the file has no
    /// list of chapters.
    package static func names(inLibrary bytes: [UInt8]) -> [String?] {
        let text = String(decoding: bytes.prefix(byteLimit), as: UTF8.self)
        guard let list = text.firstRange(of: "<chapters") else { return [] }
        var names: [String?] = []
        var rest = text[list.upperBound...]
        while names.count < countLimit, let start = rest.firstRange(of: "<name") {
            rest = rest[start.upperBound...]
            guard let end = rest.firstIndex(of: ">") else { break }
            let attributes = rest[..<end]
            rest = rest[rest.index(after: end)...]
            // Another element whose name only begins like this.
            guard attributes.first.map({ $0 == "/" || $0.isWhitespace }) ?? true else { continue }
            if attributes.last == "/" {
                names.append(nil)
                continue
            }
            guard let close = rest.firstRange(of: "</name>") else { break }
            names.append(DiscLabel.cleaned(DiscLabel.unescaped(String(rest[..<close.lowerBound]))))
            rest = rest[close.upperBound...]
        }
        return names
    }
}
