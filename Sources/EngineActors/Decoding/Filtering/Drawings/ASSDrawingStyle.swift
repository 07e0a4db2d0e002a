// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// The fill and border of a drawing, as override tags set them. The default is a white fill without a border.
struct ASSDrawingStyle: Equatable {
    var scale = 1
    /// Red, green and blue.
    var fill = 0xFFFFFF
    var border = 0
    /// 0 is opaque, 255 is fully transparent.
    var fillAlpha = 0
    var borderAlpha = 0
    /// How far the border extends beyond the fill.
    var borderWidth = 0.0
    var x = 0.0
    var y = 0.0
    /// Whether `\p0` has ended the drawing.
    var isOver = false

    /// Tags that set what holds anyway, and therefore have no effect.
    private static let neutral: Set<String> = [
        "an7", "shad0", "blur0", "be0", "fscx100", "fscy100", "fr0", "frz0", "fax0", "fay0",
    ]

    /// Applies the tags of one block in braces.
    ///
    /// - Throws: `invalidArgument` for the field `ass` that names the tag.
    mutating func take(_ block: ArraySlice<UInt8>) throws(EngineError) {
        let parts = block.split(separator: UInt8(ascii: "\\"), omittingEmptySubsequences: false)
        if let text = parts.first, !text.allSatisfy({ $0 == 0x20 }) {
            throw .invalid("ass", "has \(ASSPathReader.quoted(text)) between braces, which is not a tag")
        }
        for part in parts.dropFirst() {
            let tag = String(decoding: part.filter { $0 != 0x20 }.prefix(64), as: UTF8.self)
            guard take(tag: tag) else { throw .invalid("ass", "has the tag \"\\\(tag)\", which is not supported") }
        }
    }

    private mutating func take(tag: String) -> Bool {
        if Self.neutral.contains(tag) { return true }
        if let value = Self.value(tag, "alpha", Self.hexadecimal), value <= 255 {
            (fillAlpha, borderAlpha) = (value, value)
        } else if let value = Self.value(tag, "1a", Self.hexadecimal), value <= 255 {
            fillAlpha = value
        } else if let value = Self.value(tag, "3a", Self.hexadecimal), value <= 255 {
            borderAlpha = value
        } else if let value = Self.value(tag, "c", Self.hexadecimal) ?? Self.value(tag, "1c", Self.hexadecimal) {
            fill = Self.turned(value)
        } else if let value = Self.value(tag, "3c", Self.hexadecimal) {
            border = Self.turned(value)
        } else if let value = Self.value(tag, "bord", Self.number), (0...1000).contains(value) {
            borderWidth = value
        } else if let place = Self.value(tag, "pos", Self.place) {
            (x, y) = place
        } else if let value = Self.value(tag, "p", { Int($0) }), (0...16).contains(value) {
            (scale, isOver) = (max(1, value), value == 0)
        } else {
            return false
        }
        return true
    }

    private static func value<Value>(_ tag: String, _ name: String, _ read: (Substring) -> Value?) -> Value? {
        tag.hasPrefix(name) ? read(tag.dropFirst(name.count)) : nil
    }

    /// Parses a colour, `&HBBGGRR&`, or an alpha value, `&HAA&`; the trailing `&` is optional.
    private static func hexadecimal(_ text: Substring) -> Int? {
        guard text.hasPrefix("&H") || text.hasPrefix("&h") else { return nil }
        var digits = text.dropFirst(2)
        if digits.last == "&" { digits.removeLast() }
        guard (1...6).contains(digits.utf8.count), digits.first != "-", digits.first != "+" else { return nil }
        return Int(digits, radix: 16)
    }

    private static func number(_ text: Substring) -> Double? {
        let isPlain = text.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2E || $0 == 0x2D }
        guard isPlain, text.utf8.count <= 32, let value = Double(text), abs(value) <= 1e6 else { return nil }
        return value
    }

    private static func place(_ text: Substring) -> (Double, Double)? {
        guard text.hasPrefix("("), text.hasSuffix(")"), text.utf8.count > 2 else { return nil }
        let numbers = text.dropFirst().dropLast().split(separator: ",", omittingEmptySubsequences: false)
        guard numbers.count == 2, let x = number(numbers[0]), let y = number(numbers[1]) else { return nil }
        return (x, y)
    }

    /// Swaps red and blue: BGR becomes RGB.
    private static func turned(_ color: Int) -> Int {
        (color & 0xFF) << 16 | color & 0xFF00 | color >> 16
    }
}
