// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// The grid of anchor coordinates (CTA-708 §8.2). It divides the safe title area, which is the middle 90 % of the
/// screen in each direction (SMPTE ST 2046-1), into cells.
struct ServiceGrid: Hashable, Sendable {
    static let margin = 0.05
    static let rows = 75.0
    /// 210 for a 16:9 screen, 160 for 4:3.
    let columns: Double
    /// The number of characters per line.
    let characters: Double

    init(isWide: Bool) {
        columns = isWide ? 210 : 160
        characters = isWide ? 42 : 32
    }
}

extension ServiceWindow {
    private struct Line {
        let cells: [Cell?]
        /// The position of the first visible cell.
        let place: (row: Int, column: Int)
        let lastColumn: Int
    }

    /// The text that the window shows. `nil` if there is none.
    func text(on grid: ServiceGrid) -> CueText? {
        let lines = lines()
        guard let first = lines.first else { return nil }
        var runs: [TextRun] = []
        for (number, line) in lines.enumerated() {
            if number > 0, let last = runs.indices.last { runs[last].text += "\n" }
            for cell in line.cells { Self.add(cell, to: &runs) }
        }
        return CueText(
            plain: runs.map(\.text).joined(),
            runs: runs,
            alignment: alignment,
            position: position(of: lines, first, on: grid)
        )
    }

    /// The lines with visible text, in reading order, without leading and trailing spaces.
    private func lines() -> [Line] {
        let across = isVertical ? Self.columns : Self.rows
        let along = isVertical ? Self.rows : Self.columns
        let isReversed = isVertical ? scrolling == .leftToRight : false
        let isBackward = printing == .rightToLeft || printing == .bottomToTop
        return (0..<across).compactMap { place -> Line? in
            let number = isReversed ? across - 1 - place : place
            let cells = (0..<along).map { step -> Cell? in
                let cell = isVertical ? cell(step, number) : cell(number, step)
                return cell?.pen.isHidden == true ? nil : cell
            }
            guard let first = cells.firstIndex(where: Self.shows), let last = cells.lastIndex(where: Self.shows) else {
                return nil
            }
            let shown = Array(cells[first...last])
            return Line(
                cells: isBackward ? shown.reversed() : shown,
                place: isVertical ? (first, number) : (number, first),
                lastColumn: isVertical ? number : last
            )
        }
    }

    private static func shows(_ cell: Cell?) -> Bool { cell.map { !$0.character.properties.isWhitespace } ?? false }

    private static func add(_ cell: Cell?, to runs: inout [TextRun]) {
        let pen = cell?.pen ?? Pen()
        var run = TextRun(text: String(Character(cell?.character ?? " ")))
        run.isItalic = pen.isItalic
        run.isUnderlined = pen.isUnderlined
        run.color = pen.color == Pen.white || pen.color == 0x3F ? nil : color(pen.color)
        if let last = runs.indices.last, runs[last].hasLook(of: run) {
            runs[last].text += run.text
        } else {
            runs.append(run)
        }
    }

    /// Two bits each for red, green and blue.
    private static func color(_ bits: UInt8) -> UInt32 {
        let (red, green, blue) = (UInt32(bits >> 4 & 3), UInt32(bits >> 2 & 3), UInt32(bits & 3))
        return (red << 16 | green << 8 | blue) * 0x55
    }

    // MARK: Position

    /// Numbered as on a numeric keypad (`CueText.alignment`). The window's anchor selects the row. The justification
    /// selects the column; if the text runs vertically, the anchor does.
    private var alignment: Int {
        let line = [7, 4, 1][definition.anchor / 3]
        if isVertical { return line + definition.anchor % 3 }
        return switch justification {
        case .left, .full: printing == .rightToLeft ? line + 2 : line
        case .center: line + 1
        case .right: line + 2
        }
    }

    /// The point of the text that `alignment` refers to.
    private func position(of lines: [Line], _ first: Line, on grid: ServiceGrid) -> CuePosition {
        let anchorX = Double(definition.horizontal) / (definition.isRelative ? 99 : grid.columns - 1)
        let anchorY = Double(definition.vertical) / (definition.isRelative ? 99 : ServiceGrid.rows - 1)
        let (width, height) = (Double(definition.columnCount) / grid.characters, Double(definition.rowCount) / 15)
        let left = min(1, anchorX) - width * Double(definition.anchor % 3) / 2
        let top = min(1, anchorY) - height * Double(definition.anchor / 3) / 2

        let firstColumn = lines.map(\.place.column).min() ?? 0
        let lastColumn = lines.map(\.lastColumn).max() ?? 0
        let x =
            switch (alignment - 1) % 3 {
            case 0: justification == .left ? left + Double(firstColumn) / grid.characters : left
            case 1: left + width / 2
            default: justification == .right ? left + width : left + Double(lastColumn + 1) / grid.characters
            }
        let (firstRow, lastRow) = (lines.map(\.place.row).min() ?? 0, lines.map(\.place.row).max() ?? 0)
        let y =
            switch (alignment - 1) / 3 {
            case 2: top + Double(firstRow) / 15
            case 1: top + Double(firstRow + lastRow + 1) / 30
            default: top + Double(lastRow + 1) / 15
            }
        return CuePosition(x: Self.onScreen(x), y: Self.onScreen(y))
    }

    private static func onScreen(_ place: Double) -> Double {
        ServiceGrid.margin + (1 - 2 * ServiceGrid.margin) * min(max(place, 0), 1)
    }
}
