// SPDX-License-Identifier: Apache-2.0

/// Writes the clip of text subtitles of a Blu-ray disc, byte by byte as a disc has it.
package enum BluRayTextBytes {
    /// A style whose regions are 1720 pixels wide, with their left edge at 100 and their upper edge at `top`. The text
    /// box fills the region.
    package struct Style {
        package var number: UInt8
        package var top: Int
        package var height: Int
        /// The alignment of text, from 1 to 3. `horizontal`: left, centre, right; `vertical`: top, middle, bottom.
        package var horizontal: UInt8
        package var vertical: UInt8
        /// Flags. 1: bold; 2: italic; 4: outlined.
        package var font: UInt8

        package init(
            _ number: UInt8,
            top: Int = 800,
            height: Int = 200,
            horizontal: UInt8 = 2,
            vertical: UInt8 = 3,
            font: UInt8 = 0
        ) {
            self.number = number
            self.top = top
            self.height = height
            self.horizontal = horizontal
            self.vertical = vertical
            self.font = font
        }
    }

    package enum Element {
        case text([UInt8])
        case font(UInt8)
        case newline
        case reset
        /// The size of the font.
        case size(UInt8)
    }

    private static func segment(_ kind: UInt8, _ body: [UInt8]) -> [UInt8] {
        [kind] + BluRayBytes.big(body.count, 2) + body
    }

    /// A dialog style segment: the styles, and a palette with one entry.
    package static func styles(_ styles: [Style], dialogs: Int = 1) -> [UInt8] {
        let big = { (value: Int) in BluRayBytes.big(value, 2) }
        var body: [UInt8] = [0, 0, UInt8(styles.count), 0]
        for style in styles {
            body += [style.number] + big(100) + big(style.top) + big(1720) + big(style.height) + [0, 0]
            body += big(0) + big(0) + big(1720) + big(style.height)
            body += [1, style.horizontal, style.vertical, 40, 0, style.font, 40, 1, 2, 1]
        }
        return segment(0x81, body + big(5) + [1, 235, 128, 128, 255] + big(dialogs))
    }

    /// A dialog presentation segment.
    ///
    /// - Parameters:
    ///   - regions: the flags, the number of the style and the elements of each region. The flag 0x40 marks a forced
    ///     region.
    ///   - hasPalette: whether the segment changes the palette.
    package static func dialog(
        from start: Int64,
        to end: Int64,
        hasPalette: Bool = false,
        _ regions: (flags: UInt8, style: UInt8, elements: [Element])...
    ) -> [UInt8] {
        var body = BluRayBytes.big(start, 5) + BluRayBytes.big(end, 5) + [hasPalette ? 0x80 : 0]
        if hasPalette { body += BluRayBytes.big(5, 2) + [1, 16, 128, 128, 255] }
        body.append(UInt8(regions.count))
        for region in regions {
            let data = region.elements.flatMap(element)
            body += [region.flags, region.style] + BluRayBytes.big(data.count, 2) + data
        }
        return segment(0x82, body)
    }

    private static func element(_ element: Element) -> [UInt8] {
        let (kind, body): (UInt8, [UInt8]) =
            switch element {
            case .text(let bytes): (1, bytes)
            case .font(let flags): (3, [flags, 2, 1])
            case .newline: (0x0A, [])
            case .reset: (0x0B, [])
            case .size(let size): (4, [size])
            }
        return [0x1B, kind, UInt8(body.count)] + body
    }

    /// The packets of a clip with one PES packet for each payload.
    ///
    /// - Parameter isPrivate: whether the stream is private stream 2, as on discs; otherwise private stream 1. Packets
    ///   have no times in either case.
    package static func clip(_ payloads: [[UInt8]], pid: Int = 0x1800, isPrivate: Bool = true) -> [UInt8] {
        var packets: [UInt8] = []
        var counter: UInt8 = 0
        for payload in payloads {
            let header: [UInt8] = isPrivate ? [] : [0x80, 0, 0]
            let length = BluRayBytes.big(header.count + payload.count, 2)
            var unit: [UInt8] = [0, 0, 1, isPrivate ? 0xBF : 0xBD]
            unit += length + header + payload
            var begins = true
            while !unit.isEmpty {
                let count = min(184, unit.count)
                // An adaptation field fills the rest of the packet.
                let filling = 184 - count
                var head: [UInt8] = [0, 0, 0, 0, 0x47] + BluRayBytes.big((begins ? 0x4000 : 0) | pid, 2)
                head.append((filling > 0 ? 0x30 : 0x10) | counter)
                if filling > 0 { head.append(UInt8(filling - 1)) }
                if filling > 1 { head += [0] + [UInt8](repeating: 0xFF, count: filling - 2) }
                packets += head + unit.prefix(count)
                unit.removeFirst(count)
                counter = (counter + 1) & 15
                begins = false
            }
        }
        return packets
    }
}
