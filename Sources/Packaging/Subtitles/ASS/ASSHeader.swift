// SPDX-License-Identifier: Apache-2.0

/// What a script says before its events, as far as it matters for what a cue looks like.
package struct ASSHeader: Hashable, Sendable {
    /// What events of one style look like where they say nothing else.
    struct Style: Hashable, Sendable {
        var look = ASSLook()
        /// As on a numeric keypad.
        var alignment = 2
    }

    /// What positions and sizes are measured in.
    private(set) var width = 384.0
    private(set) var height = 288.0
    /// By name. Empty where the script is made up by a decoder: then events look as whoever shows them likes.
    private(set) var styles: [String: Style] = [:]

    private static let styleLimit = 10_000
    private static let byteLimit = 1 << 20

    /// A script that says nothing.
    package init() {}

    /// - Parameter hasStyles: whether the styles are the source's own.
    package init(_ text: String, hasStyles: Bool) {
        let known = text.utf8.count <= Self.byteLimit ? text[...] : text.prefix(Self.byteLimit)
        var size: (width: Double?, height: Double?)
        var section = ""
        var columns: [String] = []
        for line in known.split(whereSeparator: \.isNewline) {
            if line.hasPrefix("[") {
                section = line.lowercased()
                columns = []
                continue
            }
            guard let (key, value) = Self.entry(line) else { continue }
            switch (section.hasPrefix("[script info]"), key) {
            case (true, "playresx"): size.width = Self.length(value)
            case (true, "playresy"): size.height = Self.length(value)
            case (false, "format"): columns = Self.fields(value).map { $0.lowercased() }
            case (false, "style") where hasStyles && section.hasPrefix("[v4") && styles.count < Self.styleLimit:
                add(Self.fields(value), columns, isLegacy: !section.hasPrefix("[v4+"))
            default: break
            }
        }
        // As VSFilter does: the other side of a 4:3 screen, 1280 by 1024 being the exception.
        switch size {
        case (let width?, let height?): (self.width, self.height) = (width, height)
        case (let width?, nil): (self.width, height) = (width, width == 1280 ? 1024 : width * 3 / 4)
        case (nil, let height?): (width, self.height) = (height == 1024 ? 1280 : height * 4 / 3, height)
        case (nil, nil): break
        }
    }

    /// The style of an event. An unknown name is that of `Default`, as is a name with asterisks before it.
    func style(named name: String) -> Style {
        let bare = name.drop { $0 == "*" }
        return styles[String(bare)] ?? styles["Default"] ?? Style()
    }

    private static func entry(_ line: Substring) -> (key: String, value: Substring)? {
        guard let colon = line.firstIndex(of: ":"), line.first != ";" else { return nil }
        let key = trimmed(line[..<colon]).lowercased()
        return (key, trimmed(line[line.index(after: colon)...]))
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop { $0 == " " || $0 == "\t" }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return text
    }

    private static func fields(_ value: Substring) -> [Substring] {
        value.split(separator: ",", maxSplits: 63, omittingEmptySubsequences: false).map { trimmed($0) }
    }

    private static func length(_ text: Substring) -> Double? {
        guard let number = Double(text), number.isFinite, number > 0, number <= 1e6 else { return nil }
        return number
    }

    private mutating func add(_ fields: [Substring], _ columns: [String], isLegacy: Bool) {
        func field(_ name: String) -> Substring? {
            guard let place = columns.firstIndex(of: name), fields.indices.contains(place) else { return nil }
            return fields[place]
        }
        guard let name = field("name") else { return }
        var style = Style()
        func isSet(_ column: String) -> Bool { field(column).flatMap { Int($0) } ?? 0 != 0 }
        style.look.isBold = isSet("bold")
        style.look.isItalic = isSet("italic")
        style.look.isUnderlined = isSet("underline")
        style.look.isStruckOut = isSet("strikeout")
        style.look.font = field("fontname").map(String.init)
        style.look.size = field("fontsize").flatMap { Self.length($0) }
        style.look.color = field("primarycolour").flatMap { ASSColor.rgb($0) }
        if let number = field("alignment").flatMap({ Int($0) }) {
            style.alignment = (isLegacy ? ASSAlignment.legacy(number) : ASSAlignment.numpad(number)) ?? 2
        }
        styles[String(name.drop { $0 == "*" })] = style
    }
}

/// How text looks at one place of an event. What is `nil` nobody has said.
struct ASSLook: Hashable, Sendable {
    var isBold = false
    var isItalic = false
    var isUnderlined = false
    var isStruckOut = false
    /// 0xRRGGBB.
    var color: UInt32?
    var font: String?
    /// In the units of the script.
    var size: Double?
}

enum ASSAlignment {
    static func numpad(_ number: Int) -> Int? { (1...9).contains(number) ? number : nil }

    /// SSA counts 1 to 3 from the left; 4 more is the top, 8 more the middle.
    static func legacy(_ number: Int) -> Int? {
        guard (1...11).contains(number), number & 3 != 0 else { return nil }
        return number & 3 + (number & 4 != 0 ? 6 : number & 8 != 0 ? 3 : 0)
    }
}

enum ASSColor {
    /// `&HAABBGGRR&`, hexadecimal with the red last, or a decimal number of the same order. Alpha is left out.
    static func rgb(_ text: Substring) -> UInt32? {
        var text = text.drop { $0 == "&" }
        let isHexadecimal = text.first == "H" || text.first == "h"
        if isHexadecimal { text = text.dropFirst() }
        let digits = text.prefix { $0.isHexDigit }
        guard !digits.isEmpty else {
            // SSA writes the numbers of Visual Basic, negative ones included.
            return Int64(text).map { swapped(UInt32(truncatingIfNeeded: $0)) }
        }
        guard let number = Int64(digits.suffix(15), radix: isHexadecimal ? 16 : 10) else { return nil }
        return swapped(UInt32(truncatingIfNeeded: number))
    }

    private static func swapped(_ bgr: UInt32) -> UInt32 {
        (bgr & 0xFF) << 16 | bgr & 0xFF00 | (bgr >> 16) & 0xFF
    }
}
