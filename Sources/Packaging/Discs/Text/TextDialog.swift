// SPDX-License-Identifier: Apache-2.0

/// What text subtitles of a Blu-ray disc show at one time.
package struct TextDialog: Hashable, Sendable {
    package enum Row: Hashable, Sendable { case top, middle, bottom }

    package enum Column: Hashable, Sendable { case left, centre, right }

    package struct Font: Hashable, Sendable {
        package var isBold = false
        package var isItalic = false

        package init(isBold: Bool = false, isItalic: Bool = false) {
            self.isBold = isBold
            self.isItalic = isItalic
        }

        fileprivate init(flags: UInt8) { self.init(isBold: flags & 1 != 0, isItalic: flags & 2 != 0) }
    }

    /// How the text of a region is drawn.
    package struct Style: Hashable, Sendable {
        /// The line of the picture at the text's upper edge, middle or lower edge, according to its alignment in its
        /// box.
        package var line = 0
        package var column = Column.centre
        package var font = Font()

        package init(line: Int = 0, column: Column = .centre, font: Font = Font()) {
            self.line = line
            self.column = column
            self.font = font
        }
    }

    /// Text of one font.
    package struct Run: Hashable, Sendable {
        /// In the charset of the stream.
        package let bytes: [UInt8]
        package let font: Font

        package init(bytes: [UInt8], font: Font) {
            self.bytes = bytes
            self.font = font
        }
    }

    package struct Region: Hashable, Sendable {
        /// Whether it is shown even if subtitles are off.
        package var isForced = false
        /// `nil` if the disc has no such style.
        package var style: Style?
        package var lines: [[Run]] = []

        package init(isForced: Bool = false, style: Style? = nil, lines: [[Run]] = []) {
            self.isForced = isForced
            self.style = style
            self.lines = lines
        }
    }

    /// On the clip's own clock, in ticks of 90 kHz. 33 bits.
    package let start: Int64
    package let end: Int64
    package let regions: [Region]

    package init(start: Int64, end: Int64, regions: [Region]) {
        self.start = start
        self.end = end
        self.regions = regions
    }

    // MARK: Parsing

    /// The escape byte that precedes each element of a region's text.
    private static let escape: UInt8 = 0x1B
    private static let clockMask: UInt64 = (1 << 33) - 1

    /// - Parameters:
    ///   - segment: the body of a dialog presentation segment.
    ///   - styles: by their numbers.
    init(_ segment: ByteReader, _ styles: [UInt8: Style]) throws(PackagingError) {
        var reader = segment
        start = Int64(try reader.number(byteCount: 5) & Self.clockMask)
        end = Int64(try reader.number(byteCount: 5) & Self.clockMask)
        if try reader.byte() & 0x80 != 0 {
            let palette = Int(try reader.uint16())
            try reader.skip(palette)
        }
        let count = try reader.byte()
        var regions: [Region] = []
        for _ in 0..<count {
            let flags = try reader.byte()
            let number = try reader.byte()
            let style = styles[number]
            let length = Int(try reader.uint16())
            let text = ByteReader(try reader.take(length), subject: reader.subject)
            regions.append(Region(isForced: flags & 0x40 != 0, style: style, lines: try Self.lines(text, style?.font)))
        }
        self.regions = regions
    }

    private static func lines(_ text: ByteReader, _ font: Font?) throws(PackagingError) -> [[Run]] {
        var reader = text
        var lines: [[Run]] = [[]]
        let usual = font ?? Font()
        var font = usual
        while !reader.isAtEnd {
            guard try reader.byte() == escape else { continue }
            let kind = try reader.byte()
            let length = Int(try reader.byte())
            let body = try reader.take(length)
            switch kind {
            case 0x01: if !body.isEmpty { lines[lines.count - 1].append(Run(bytes: body, font: font)) }
            case 0x03: if let flags = body.first { font = Font(flags: flags) }
            case 0x0A: lines.append([])
            case 0x0B: font = usual
            // Fonts, sizes and colours.
            default: break
            }
        }
        return lines
    }

    /// - Parameter segment: the body of a dialog style segment.
    static func styles(_ segment: ByteReader) throws(PackagingError) -> [UInt8: Style] {
        var reader = segment
        try reader.skip(2)
        let count = try reader.byte()
        // The styles that a user can choose follow.
        try reader.skip(1)
        var styles: [UInt8: Style] = [:]
        for _ in 0..<count {
            let number = try reader.byte()
            let region = try Rectangle(&reader)
            // Skips the background.
            try reader.skip(2)
            let box = try Rectangle(&reader)
            // Skips the direction of the text.
            try reader.skip(1)
            let horizontal = try reader.byte()
            let vertical = try reader.byte()
            // Skips the space between lines, and the font.
            try reader.skip(2)
            let font = Font(flags: try reader.byte())
            try reader.skip(4)
            let top = region.top + box.top
            styles[number] = Style(
                line: vertical == 1 ? top : vertical == 2 ? top + box.height / 2 : top + box.height,
                column: horizontal == 1 ? .left : horizontal == 3 ? .right : .centre,
                font: font
            )
        }
        return styles
    }

    private struct Rectangle {
        let top: Int
        let height: Int

        init(_ reader: inout ByteReader) throws(PackagingError) {
            try reader.skip(2)
            top = Int(try reader.uint16())
            try reader.skip(2)
            height = Int(try reader.uint16())
        }
    }
}

extension TextDialog.Style {
    /// The part of a picture in which the text lies.
    ///
    /// - Parameter height: of the picture, in lines.
    package func row(height: Int) -> TextDialog.Row {
        if 3 * line <= height { return .top }
        return 3 * line <= 2 * height ? .middle : .bottom
    }
}
