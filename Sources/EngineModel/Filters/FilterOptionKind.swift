// SPDX-License-Identifier: Apache-2.0

/// The values that a filter option may have.
package enum FilterOptionKind: Hashable, Sendable {
    case integer(ClosedRange<Int>)
    /// An odd integer: the side length of a square around a pixel.
    case odd(ClosedRange<Int>)
    case number(ClosedRange<Double>)
    /// `1` or `0`, `true` or `false`.
    case flag
    case word(Set<String>)
    /// `#RRGGBB`.
    case color

    /// The value in canonical form, as passed to libavfilter. `nil` if it is invalid.
    package func canonical(_ text: String) -> String? {
        // No useful value of any kind is longer.
        guard (1...32).contains(text.utf8.count) else { return nil }
        switch self {
        case .integer(let range): return Int(text).flatMap { range.contains($0) ? "\($0)" : nil }
        case .odd(let range): return Int(text).flatMap { range.contains($0) && $0 % 2 != 0 ? "\($0)" : nil }
        case .number(let range): return Double(text).flatMap { range.contains($0) ? Self.plain($0) : nil }
        case .flag: return ["1": "1", "true": "1", "0": "0", "false": "0"][text]
        case .word(let words): return words.contains(text) ? text : nil
        case .color:
            // Keeps the `#RRGGBB` form, which this function accepts again and libavutil also accepts.
            let digits = text.utf8.dropFirst()
            let isColor = text.utf8.first == UInt8(ascii: "#") && digits.count == 6
            return isColor && digits.allSatisfy(\.isHexadecimal) ? text.lowercased() : nil
        }
    }

    /// The number without an exponent, rounded to six decimals: more than any of these filters distinguishes.
    package static func plain(_ value: Double) -> String {
        let millionths = Int64((value * 1_000_000).rounded())
        let (whole, rest) = (abs(millionths) / 1_000_000, abs(millionths) % 1_000_000)
        let sign = millionths < 0 ? "-" : ""
        guard rest > 0 else { return "\(sign)\(whole)" }
        var digits = "\(1_000_000 + rest)".dropFirst()
        while digits.last == "0" { digits.removeLast() }
        return "\(sign)\(whole).\(digits)"
    }
}

extension FilterOptionKind: CustomStringConvertible {
    package var description: String {
        switch self {
        case .integer(let range): "a whole number \(range.lowerBound) … \(range.upperBound)"
        case .odd(let range): "an odd number \(range.lowerBound) … \(range.upperBound)"
        case .number(let range): "a number \(Self.plain(range.lowerBound)) … \(Self.plain(range.upperBound))"
        case .flag: "true or false"
        case .word(let words): "one of " + words.sorted().joined(separator: ", ")
        case .color: "a colour, #RRGGBB"
        }
    }
}

extension UInt8 {
    fileprivate var isHexadecimal: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }
}
