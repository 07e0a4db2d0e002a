// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// Style properties of an element of a TTML document, limited to those that cues can express (TTML2 §10.2). `nil`: not
/// specified.
struct TTMLStyle: Hashable {
    enum Align: Hashable { case start, center, end }

    // Inherited.
    var isBold: Bool?
    var isItalic: Bool?
    var isUnderlined: Bool?
    var isStruckOut: Bool?
    /// 0xRRGGBB.
    var color: UInt32?
    var textAlign: Align?
    var isHidden: Bool?

    // Of the element itself.
    /// Whether the element is not displayed, or is an annotation of other text.
    var isOmitted: Bool?
    var displayAlign: Align?
    var origin: String?
    var extent: String?

    init() {}

    /// - Parameter attributes: the attributes of an element. Those that are not style properties are ignored.
    init(_ attributes: [String: String]) {
        isBold = attributes["fontWeight"].map { $0 == "bold" }
        isItalic = attributes["fontStyle"].map { $0 == "italic" || $0 == "oblique" }
        if let words = attributes["textDecoration"]?.split(separator: " ") {
            if words.contains("none") || words.contains("noUnderline") { isUnderlined = false }
            if words.contains("underline") { isUnderlined = true }
            if words.contains("none") || words.contains("noLineThrough") { isStruckOut = false }
            if words.contains("lineThrough") { isStruckOut = true }
        }
        color = attributes["color"].flatMap(Self.color)
        textAlign = attributes["textAlign"].flatMap(Self.align)
        displayAlign = attributes["displayAlign"].flatMap(Self.align)
        isHidden = attributes["visibility"].map { $0 == "hidden" }
        origin = attributes["origin"]
        extent = attributes["extent"]
        let isAnnotation = ["text", "textContainer", "delimiter"].contains(attributes["ruby"])
        isOmitted = attributes["display"].map { $0 == "none" }
        if isAnnotation { isOmitted = true }
    }

    /// This style, completed with the properties of another style that it does not specify itself.
    func completed(by other: TTMLStyle) -> TTMLStyle {
        var style = inheriting(other)
        style.isOmitted = isOmitted ?? other.isOmitted
        style.displayAlign = displayAlign ?? other.displayAlign
        style.origin = origin ?? other.origin
        style.extent = extent ?? other.extent
        return style
    }

    /// This style, completed with the inherited properties of its parent that it does not specify itself.
    func inheriting(_ parent: TTMLStyle) -> TTMLStyle {
        var style = self
        style.isBold = isBold ?? parent.isBold
        style.isItalic = isItalic ?? parent.isItalic
        style.isUnderlined = isUnderlined ?? parent.isUnderlined
        style.isStruckOut = isStruckOut ?? parent.isStruckOut
        style.color = color ?? parent.color
        style.textAlign = textAlign ?? parent.textAlign
        style.isHidden = isHidden ?? parent.isHidden
        return style
    }

    func run(_ text: String) -> TextRun {
        var run = TextRun(text: text)
        run.isBold = isBold ?? false
        run.isItalic = isItalic ?? false
        run.isUnderlined = isUnderlined ?? false
        run.isStruckOut = isStruckOut ?? false
        run.color = color
        return run
    }

    private static func align(_ word: String) -> Align? {
        switch word {
        case "left", "start", "before": .start
        case "center", "justify": .center
        case "right", "end", "after": .end
        default: nil
        }
    }

    /// `#rrggbb`, `#rrggbbaa`, `rgb(r,g,b)`, `rgba(r,g,b,a)`, or a name (TTML2 §10.3.3).
    private static func color(_ text: String) -> UInt32? {
        let text = text.lowercased().filter { !$0.isWhitespace }
        if text.hasPrefix("#") {
            let digits = text.dropFirst()
            guard digits.count == 6 || digits.count == 8, digits.allSatisfy(\.isHexDigit) else { return nil }
            return UInt32(digits.prefix(6), radix: 16)
        }
        if text.hasPrefix("rgb"), let open = text.firstIndex(of: "("), text.last == ")" {
            let numbers = text[open...].dropFirst().dropLast().split(separator: ",").map { UInt32($0) }
            guard numbers.count == 3 || numbers.count == 4, let red = numbers[0], let green = numbers[1],
                let blue = numbers[2], max(red, green, blue) <= 255
            else { return nil }
            return red << 16 | green << 8 | blue
        }
        return names[text]
    }

    private static let names: [String: UInt32] = [
        "black": 0x00_0000, "silver": 0xC0_C0C0, "gray": 0x80_8080, "white": 0xFF_FFFF, "maroon": 0x80_0000,
        "red": 0xFF_0000, "purple": 0x80_0080, "fuchsia": 0xFF_00FF, "magenta": 0xFF_00FF, "green": 0x00_8000,
        "lime": 0x00_FF00, "olive": 0x80_8000, "yellow": 0xFF_FF00, "navy": 0x00_0080, "blue": 0x00_00FF,
        "teal": 0x00_8080, "aqua": 0x00_FFFF, "cyan": 0x00_FFFF,
    ]
}

/// Determines where text is placed on the screen: one of nine areas, numbered as on a numeric keypad, as in ASS.
struct TTMLPlace {
    /// The unit `c` of lengths is one of these cells. `pixels` is the extent of the document; `nil` if it states none.
    private let cells: (columns: Double, rows: Double)
    private let pixels: (width: Double, height: Double)?

    /// - Parameter attributes: of the `tt` element.
    init(_ attributes: [String: String]) {
        let resolution = (attributes["cellResolution"] ?? "").split(separator: " ").compactMap { Double($0) }
        cells = resolution.count == 2 && resolution.allSatisfy { $0 > 0 } ? (resolution[0], resolution[1]) : (32, 15)
        let extent = (attributes["extent"] ?? "").split(separator: " ").compactMap { word in
            word.hasSuffix("px") ? Double(word.dropLast(2)) : nil
        }
        pixels = extent.count == 2 && extent.allSatisfy { $0 > 0 } ? (extent[0], extent[1]) : nil
    }

    /// - Parameters:
    ///   - style: of the text.
    ///   - region: the style of its region; `nil` if none is named, which places the text at the bottom, as players do.
    /// - Returns: 1 … 9.
    func alignment(of style: TTMLStyle, in region: TTMLStyle?) -> Int {
        let origin = pair(region?.origin) ?? (0, 0)
        let extent = pair(region?.extent) ?? (1 - origin.0, 1 - origin.1)
        let x = origin.0 + extent.0 * Self.fraction(.center)
        let y = origin.1 + extent.1 * Self.fraction(region?.displayAlign ?? .start)
        let row = region == nil ? 0 : y > 2.0 / 3 ? 0 : y >= 1.0 / 3 ? 1 : 2
        let column =
            switch style.textAlign {
            case .start: 0
            case .end: 2
            // Centred text in a region at one side of the screen is aligned to that side.
            case .center, nil: x < 1.0 / 3 ? 0 : x > 2.0 / 3 ? 2 : 1
            }
        return row * 3 + column + 1
    }

    private static func fraction(_ align: TTMLStyle.Align) -> Double {
        switch align {
        case .start: 0
        case .center: 0.5
        case .end: 1
        }
    }

    /// Two lengths as fractions of the screen: percentages, cells or pixels (TTML2 §10.3.10). `nil` if either has
    /// another unit.
    private func pair(_ text: String?) -> (Double, Double)? {
        let words = (text ?? "").split(separator: " ")
        guard words.count == 2, let x = length(words[0], cells.columns, pixels?.width, "vw", "rw"),
            let y = length(words[1], cells.rows, pixels?.height, "vh", "rh")
        else { return nil }
        return (x, y)
    }

    private func length(_ word: Substring, _ cells: Double, _ pixels: Double?, _ units: String...) -> Double? {
        func number(_ unit: String) -> Double? {
            guard word.hasSuffix(unit), let number = Double(word.dropLast(unit.count)), abs(number) < 1e6 else {
                return nil
            }
            return number
        }
        if let percent = number("%") ?? units.lazy.compactMap(number).first { return percent / 100 }
        if let pixels, let count = number("px") { return count / pixels }
        return number("c").map { $0 / cells }
    }
}
