// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

// Converts an ASS drawing to an SVG document that looks the same: fills use the nonzero rule, borders lie outside the
// fill.
extension ASSDrawing {
    private struct Shape {
        let style: ASSDrawingStyle
        let path: ASSPath
    }

    private static let shapeLimit = 256
    private static let sizeLimit = 16384

    /// - Throws: `invalidArgument` for the field `ass`, `ass_width` or `ass_height`.
    func document() throws(EngineError) -> String {
        for (field, value) in [("ass_width", width), ("ass_height", height)] where !(0...Self.sizeLimit).contains(value)
        {
            throw .invalid(field, "must be 0 … \(Self.sizeLimit)")
        }
        if (width == 0) != (height == 0) {
            throw .invalid(width == 0 ? "ass_width" : "ass_height", "is 0 although the other size is not")
        }
        var shapes: [Shape] = []
        for line in text.utf8.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
            guard let shape = try Self.shape(Array(line)[...]) else { continue }
            guard shapes.count < Self.shapeLimit else {
                throw .invalid("ass", "has more than \(Self.shapeLimit) lines")
            }
            shapes.append(shape)
        }
        let place = try place(of: shapes)
        let drawn = shapes.enumerated().map { Self.drawn($1, number: $0, within: place) }.joined()
        return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"\(place.joined(separator: " "))\">\(drawn)</svg>"
    }

    /// Parses override tags, then a drawing, then optionally its end tag. Returns `nil` for a line without a drawing.
    private static func shape(_ line: ArraySlice<UInt8>) throws(EngineError) -> Shape? {
        var (style, path) = (ASSDrawingStyle(), ASSPath?.none)
        var rest = line
        while !rest.isEmpty {
            guard rest.first == UInt8(ascii: "{") else {
                let text = rest.prefix { $0 != UInt8(ascii: "{") }
                rest = rest.dropFirst(text.count)
                if text.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { continue }
                guard path == nil, !style.isOver else {
                    throw .invalid("ass", "has text after a drawing on the same line")
                }
                path = try ASSPathReader.read(text, scale: style.scale)
                continue
            }
            guard let end = rest.firstIndex(of: UInt8(ascii: "}")) else {
                throw .invalid("ass", "has an unmatched brace")
            }
            let before = style
            try style.take(rest[(rest.startIndex + 1)..<end])
            rest = rest[(end + 1)...]
            guard path != nil else { continue }
            guard style.isOver else { throw .invalid("ass", "has tags after a drawing on the same line") }
            style = before
            style.isOver = true
        }
        return path.map { Shape(style: style, path: $0) }
    }

    /// The view box: left, top, width and height.
    private func place(of shapes: [Shape]) throws(EngineError) -> [String] {
        let boxes = shapes.compactMap { shape in
            shape.path.bounds.map { box in
                let (reach, style) = (shape.style.borderWidth, shape.style)
                return (
                    box.0 - reach + style.x, box.1 - reach + style.y, box.2 + reach + style.x, box.3 + reach + style.y
                )
            }
        }
        guard let first = boxes.first else { throw .invalid("ass", "draws nothing") }
        if width > 0 { return ["0", "0", "\(width)", "\(height)"] }
        let all = boxes.reduce(first) { (min($0.0, $1.0), min($0.1, $1.1), max($0.2, $1.2), max($0.3, $1.3)) }
        let (wide, high) = (all.2 - all.0, all.3 - all.1)
        guard wide >= 0.001, high >= 0.001 else {
            throw .invalid("ass", "draws nothing that has both a width and a height")
        }
        return [all.0, all.1, wide, high].map(FilterOptionKind.plain)
    }

    private static func drawn(_ shape: Shape, number: Int, within place: [String]) -> String {
        let (style, data) = (shape.style, shape.path.data)
        var text = "<g"
        if (style.x, style.y) != (0, 0) {
            text += " transform=\"translate(\(FilterOptionKind.plain(style.x)) \(FilterOptionKind.plain(style.y)))\""
        }
        text += ">"
        if style.borderWidth > 0 { text += border(shape, data, number: number) }
        text += "<path fill=\"\(color(style.fill))\" fill-opacity=\"\(opacity(style.fillAlpha))\" d=\"\(data)\"/></g>"
        return text
    }

    /// Strokes the outline on both sides. If the fill is translucent, a mask limits the stroke to the outside.
    private static func border(_ shape: Shape, _ data: String, number: Int) -> String {
        let (style, box) = (shape.style, shape.path.bounds ?? (0, 0, 0, 0))
        var (text, mask) = ("", "")
        if style.fillAlpha > 0 {
            let reach = style.borderWidth * 2
            let place = [box.0 - reach, box.1 - reach, box.2 - box.0 + 2 * reach, box.3 - box.1 + 2 * reach]
            let attributes = zip(["x", "y", "width", "height"], place.map(FilterOptionKind.plain)).map {
                "\($0)=\"\($1)\""
            }
            .joined(separator: " ")
            text +=
                "<mask id=\"m\(number)\" maskUnits=\"userSpaceOnUse\" \(attributes)><rect \(attributes) fill=\"#fff\"/>"
            text += "<path fill=\"#000\" d=\"\(data)\"/></mask>"
            mask = " mask=\"url(#m\(number))\""
        }
        text += "<path fill=\"none\" stroke=\"\(color(style.border))\" stroke-opacity=\"\(opacity(style.borderAlpha))\""
        text +=
            " stroke-width=\"\(FilterOptionKind.plain(2 * style.borderWidth))\" stroke-linejoin=\"round\"\(mask) d=\"\(data)\"/>"
        return text
    }

    private static func color(_ color: Int) -> String {
        let digits = String(color & 0xFF_FFFF, radix: 16)
        return "#" + String(repeating: "0", count: 6 - digits.count) + digits
    }

    private static func opacity(_ alpha: Int) -> String { FilterOptionKind.plain(Double(255 - alpha) / 255) }
}
