// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// Rejects SVG drawings with content that is not allowed. Pure; scans the text once per rule.
///
/// The SVG renderer loads no external resources: a referenced image would be missing without an error. The error thrown
/// here names the reference.
enum DrawingText {
    /// The maximum number of tags in a document.
    static let elementLimit = 4096

    /// - Throws: `invalidArgument` for the field `svg`.
    static func check(_ svg: String) throws(EngineError) {
        let text = Array(svg.utf8)
        guard contains(text, "<svg") else { throw .invalid("svg", "is not an SVG document") }
        for (word, problem) in [
            ("<!doctype", "declares a document type"), ("<!entity", "declares an entity"),
            ("@import", "imports a stylesheet"), ("<?xml-stylesheet", "references a stylesheet"),
            ("<script", "contains a script"), ("<foreignobject", "contains a foreign object"),
            ("xml:base", "sets a base for references"),
        ] where contains(text, word) {
            throw .invalid("svg", problem)
        }
        if text.count(where: { $0 == UInt8(ascii: "<") }) > elementLimit {
            throw .invalid("svg", "has more than \(elementLimit) tags")
        }
        for start in places(of: "encoding=", in: text) {
            let name = text[start...].drop(while: isSpaceOrQuote).prefix(5).map(lowered)
            if !name.elementsEqual("utf-8".utf8) { throw .invalid("svg", "is not in UTF-8") }
        }
        for start in places(of: "href", in: text) { try checkReference(afterName: text[start...]) }
        for start in places(of: "url(", in: text) {
            try checkTarget(text[start...].drop(while: isSpaceOrQuote))
        }
    }

    /// Whether the document asks to be stretched to its rectangle regardless of its aspect ratio (SVG 1.1, §7.8).
    static func isStretched(_ svg: String) -> Bool {
        let text = Array(svg.utf8)
        guard let root = places(of: "<svg", in: text).first else { return false }
        let tag = Array(text[root...].prefix { $0 != UInt8(ascii: ">") })
        return places(of: "preserveaspectratio", in: tag).contains { start in
            let value = tag[start...].drop { isSpaceOrQuote($0) || $0 == UInt8(ascii: "=") }
            return value.prefix(4).elementsEqual("none".utf8)
        }
    }

    /// Checks the value in `= "#name"`. A name without a value is plain text.
    private static func checkReference(afterName rest: ArraySlice<UInt8>) throws(EngineError) {
        let sign = rest.drop(while: isSpace)
        guard sign.first == UInt8(ascii: "=") else { return }
        try checkTarget(sign.dropFirst().drop(while: isSpaceOrQuote))
    }

    private static func checkTarget(_ target: ArraySlice<UInt8>) throws(EngineError) {
        guard target.first != UInt8(ascii: "#") else { return }
        let shown = String(
            decoding: target.prefix { $0 > 0x20 && !isSpaceOrQuote($0) && $0 < 0x7F }.prefix(64),
            as: UTF8.self
        )
        throw .invalid("svg", "refers to \"\(shown)\", which is outside the document")
    }

    private static func contains(_ text: [UInt8], _ word: String) -> Bool { !places(of: word, in: text).isEmpty }

    /// The offsets directly after each occurrence of `word`, which is lower-case; case is ignored.
    private static func places(of word: String, in text: [UInt8]) -> [Int] {
        let word = Array(word.utf8)
        guard text.count >= word.count else { return [] }
        return (0...text.count - word.count).filter { start in
            word.indices.allSatisfy { lowered(text[start + $0]) == word[$0] }
        }.map { $0 + word.count }
    }

    private static func lowered(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private static func isSpaceOrQuote(_ byte: UInt8) -> Bool {
        isSpace(byte) || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'")
    }
}

extension OverlayDrawing {
    /// The drawing as an SVG document.
    ///
    /// - Throws: `invalidArgument`, naming the field, for external references and invalid syntax.
    func document() throws(EngineError) -> String {
        if text.utf8.count > Overlay.textLimit {
            throw .invalid(field, "is longer than \(Overlay.textLimit) bytes")
        }
        switch self {
        case .svg(let svg):
            try DrawingText.check(svg)
            return svg
        case .ass(let drawing): return try drawing.document()
        }
    }
}
