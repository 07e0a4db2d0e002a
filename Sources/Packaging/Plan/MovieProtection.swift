// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Encryption of the tracks of an MP4 file: `sinf` in the sample entries (ISO/IEC 14496-12 §8.12), and `pssh` in `moov`
/// or `moof` (ISO/IEC 23001-7 §8.1).
package struct MovieProtection {
    /// Entries whose samples are encrypted, with the size of their header and fields before their boxes. The last three
    /// belong to the iTunes Store and Audible.
    private static let entries = [
        "encv": 86, "enca": 36, "encs": 16, "enct": 16, "encm": 16, "drmi": 86, "drms": 36, "aavd": 36,
    ]
    private static let entryLimit = 64
    private static let trackLimit = 64
    /// PIFF has the contents of `pssh` in a `uuid` box of this type.
    private static let piffSystem = "d08a4f18-10f3-4a82-b6c8-32d8aba183d3"

    private let movie: [UInt8]
    /// In file order, each once.
    private let keySystems: [String]

    /// - Parameters:
    ///   - movie: the bytes of a `moov` box.
    ///   - fragments: the bytes of `moof` boxes, one after another.
    package init(movie: [UInt8], fragments: [UInt8] = []) {
        self.movie = movie
        var names: [String] = []
        for found in Self.keySystems(in: movie.span, "moov") + Self.keySystems(in: fragments.span, "moof")
        where !names.contains(found) {
            names.append(found)
        }
        keySystems = names
    }

    /// Whether a track of the movie is encrypted, so that the key systems in its fragments matter.
    package static func isDeclared(inMovie movie: [UInt8]) -> Bool {
        let protection = MovieProtection(movie: movie)
        return (0..<trackLimit).contains { protection.ofTrack($0) != nil }
    }

    /// The protection of track `trackNumber` (counted from 0). `nil` if none of its sample entries is encrypted.
    package func ofTrack(_ trackNumber: Int) -> ContentProtection? {
        let span = movie.span
        guard let table = span.sampleTable(ofTrack: trackNumber), let list = span.box("stsd", in: table) else {
            return nil
        }
        var at = list.lowerBound + 8
        for _ in 0..<Self.entryLimit where at + 8 <= list.upperBound {
            let size = Int(span.bigEndian32(at: at))
            guard size >= 8, size <= list.upperBound - at else { return nil }
            let type = span.type(at: at + 4)
            if let fields = Self.entries[type] { return protection(type, (at + min(fields, size))..<(at + size)) }
            at += size
        }
        return nil
    }

    /// - Parameter boxes: the boxes of the entry.
    private func protection(_ type: String, _ boxes: Range<Int>) -> ContentProtection {
        let span = movie.span
        if type == "aavd" { return ContentProtection(scheme: "adrm", keySystems: ["Audible"]) }
        let information = span.box("sinf", in: boxes)
        let declared = information.flatMap { span.box("schm", in: $0) }.flatMap { scheme in
            scheme.count >= 8 ? span.type(at: scheme.lowerBound + 4) : nil
        }
        if declared == "itun" || ["drmi", "drms"].contains(type) {
            return ContentProtection(scheme: declared ?? "itun", keySystems: ["FairPlay"])
        }
        let encryption = information.flatMap { span.box("schi", in: $0) }.flatMap { span.box("tenc", in: $0) }
        var keyID = ""
        if let encryption, encryption.count >= 24 {
            keyID = span.hexadecimal(at: encryption.lowerBound + 8, count: 16)
        }
        return ContentProtection(scheme: declared ?? "", keySystems: keySystems, keyID: keyID)
    }

    /// The key systems named in boxes of the given type, in file order.
    private static func keySystems(in span: Span<UInt8>, _ type: String) -> [String] {
        span.boxes(type, in: 0..<span.count).flatMap { box in
            let piff = span.boxes("uuid", in: box)
                .filter { $0.count >= 36 && span.uuid(at: $0.lowerBound) == piffSystem }
                .map { $0.lowerBound + 20 }
            let common = span.boxes("pssh", in: box).filter { $0.count >= 20 }.map { $0.lowerBound + 4 }
            return (common + piff).map { place in
                let identifier = span.uuid(at: place)
                return KeySystem.name(uuid: identifier) ?? identifier
            }
        }
    }
}

extension Span<UInt8> {
    fileprivate func type(at index: Int) -> String {
        String(decoding: (index..<index + 4).map { self[$0] }, as: UTF8.self)
    }

    fileprivate func hexadecimal(at index: Int, count: Int) -> String {
        Hexadecimal.text((index..<index + count).map { self[$0] })
    }

    fileprivate func uuid(at index: Int) -> String {
        [(0, 4), (4, 2), (6, 2), (8, 2), (10, 6)].map { hexadecimal(at: index + $0.0, count: $0.1) }
            .joined(separator: "-")
    }
}
