// SPDX-License-Identifier: Apache-2.0

/// One override tag of an event: the name after the backslash, and its argument.
struct ASSTag: Hashable {
    let name: String
    let argument: Substring

    /// Every tag that renderers know. The longest match wins: `\bord2` is not `\b`, and `\iclip(…)` is not `\i`.
    private static let names: Set<String> = [
        "1a", "2a", "3a", "4a", "1c", "2c", "3c", "4c", "a", "alpha", "an", "b", "be", "blur", "bord", "c", "clip",
        "fad",
        "fade", "fax", "fay", "fe", "fn", "fr", "frx", "fry", "frz", "fs", "fsc", "fscx", "fscy", "fsp", "i", "iclip",
        "k",
        "K", "kf", "ko", "kt", "move", "org", "p", "pbo", "pos", "q", "r", "s", "shad", "t", "u", "xbord", "ybord",
        "xshad",
        "yshad",
    ]
    private static let longestName = 5

    /// The tags of a block, without its braces. Anything in parentheses belongs to the tag before them.
    static func tags(in block: Substring) -> [ASSTag] {
        var tags: [ASSTag] = []
        var rest = block.drop { $0 != "\\" }
        while !rest.isEmpty {
            rest = rest.dropFirst()
            let end = end(of: rest)
            if let tag = ASSTag(rest[..<end]) { tags.append(tag) }
            rest = rest[end...].drop { $0 != "\\" }
        }
        return tags
    }

    /// The index of the next backslash outside parentheses.
    private static func end(of text: Substring) -> Substring.Index {
        var depth = 0
        for index in text.indices {
            switch text[index] {
            case "(": depth += 1
            case ")": depth = max(0, depth - 1)
            case "\\" where depth == 0: return index
            default: break
            }
        }
        return text.endIndex
    }

    private init?(_ text: Substring) {
        let text = text.drop { $0 == " " || $0 == "\t" }
        for length in stride(from: Self.longestName, through: 1, by: -1) {
            let name = String(text.prefix(length))
            guard name.count == length, Self.names.contains(name) else { continue }
            self.name = name
            var argument = text.dropFirst(length).drop { $0 == " " || $0 == "\t" }
            while let last = argument.last, last == " " || last == "\t" { argument.removeLast() }
            self.argument = argument
            return
        }
        return nil
    }

    /// The argument as an integer; `nil` if it is not one, which selects the style's own value.
    var number: Int? {
        let sign = argument.prefix(1).filter { $0 == "-" || $0 == "+" }
        let digits = argument.dropFirst(sign.count).prefix { ("0"..."9").contains($0) }
        guard !digits.isEmpty, digits.count <= 9, let value = Int(digits) else { return nil }
        return sign == "-" ? -value : value
    }

    /// The numbers in the parentheses.
    var numbers: [Double] {
        guard argument.first == "(" else { return [] }
        let inner = argument.dropFirst().prefix { $0 != ")" }
        return inner.split(separator: ",", maxSplits: 7).compactMap { field in
            let text = field.filter { $0 != " " && $0 != "\t" }
            return Double(text).flatMap { $0.isFinite ? $0 : nil }
        }
    }
}
