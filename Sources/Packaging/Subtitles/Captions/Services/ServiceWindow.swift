// SPDX-License-Identifier: Apache-2.0

/// A CTA-708 window (§8.4): a grid of characters with a pen, and its position on the screen.
struct ServiceWindow: Hashable, Sendable {
    /// The parameters of DefineWindow (§8.10.5.2).
    struct Definition: Hashable, Sendable {
        let isVisible: Bool
        /// Whether the anchor is in hundredths of the screen; otherwise it is in grid cells.
        let isRelative: Bool
        let vertical: Int
        let horizontal: Int
        /// 0 … 8: the point of the window that lies at the anchor, row by row from the upper left.
        let anchor: Int
        let rowCount: Int
        let columnCount: Int
        /// Predefined styles, 1 … 7; 0 keeps the window's current style.
        let windowStyle: Int
        let penStyle: Int

        /// - Parameter bytes: all six argument bytes.
        init(_ bytes: [UInt8]) {
            isVisible = bytes[0] & 0x20 != 0
            isRelative = bytes[1] & 0x80 != 0
            vertical = Int(bytes[1] & 0x7F)
            horizontal = Int(bytes[2])
            anchor = min(8, Int(bytes[3] >> 4))
            rowCount = Int(bytes[3] & 0x0F) + 1
            columnCount = Int(bytes[4] & 0x3F) + 1
            windowStyle = Int(bytes[5] >> 3 & 7)
            penStyle = Int(bytes[5] & 7)
        }
    }

    struct Pen: Hashable, Sendable {
        /// White, the colour of all predefined pens: two bits each for red, green and blue.
        static let white: UInt8 = 0x2A

        var isItalic = false
        var isUnderlined = false
        var color = white
        /// Whether the text is not for display (text tag 15).
        var isHidden = false
    }

    struct Cell: Hashable, Sendable {
        let character: Unicode.Scalar
        let pen: Pen
    }

    enum Direction: UInt8, Sendable { case leftToRight, rightToLeft, topToBottom, bottomToTop }
    enum Justification: UInt8, Sendable { case left, right, center, full }

    /// The largest size that a definition can specify.
    static let rows = 16
    static let columns = 64

    private(set) var definition: Definition
    private(set) var isVisible: Bool
    private(set) var pen = Pen()
    private(set) var justification = Justification.left
    private(set) var printing = Direction.leftToRight
    private(set) var scrolling = Direction.bottomToTop
    private(set) var wrapsWords = false
    private(set) var row = 0
    private(set) var column = 0
    /// Row by row.
    private(set) var cells: [Cell?]

    init(_ definition: Definition) {
        self.definition = definition
        isVisible = definition.isVisible
        cells = Array(repeating: nil, count: Self.rows * Self.columns)
        setStyle(definition.windowStyle == 0 ? 1 : definition.windowStyle)
        goHome()
    }

    /// Applies another definition. The text stays, as do the pen and any styles that the definition does not specify.
    mutating func redefine(_ definition: Definition) {
        guard definition != self.definition else { return }
        self.definition = definition
        isVisible = definition.isVisible
        if definition.windowStyle != 0 { setStyle(definition.windowStyle) }
        if definition.penStyle != 0 { pen = Pen() }
    }

    /// The predefined window styles (§8.11): captions, with word wrap for 4 to 6; 7 is a vertical ticker.
    private mutating func setStyle(_ style: Int) {
        justification = style == 3 || style == 6 ? .center : .left
        printing = style == 7 ? .topToBottom : .leftToRight
        scrolling = style == 7 ? .rightToLeft : .bottomToTop
        wrapsWords = (4...6).contains(style)
    }

    /// - Parameter byte: the third byte of SetWindowAttributes (§8.10.5.8).
    mutating func setAttributes(_ byte: UInt8) {
        wrapsWords = byte & 0x40 != 0
        printing = Direction(rawValue: byte >> 4 & 3) ?? .leftToRight
        scrolling = Direction(rawValue: byte >> 2 & 3) ?? .bottomToTop
        justification = Justification(rawValue: byte & 3) ?? .left
    }

    /// SetPenAttributes (§8.10.5.9).
    mutating func setPen(_ first: UInt8, _ second: UInt8) {
        pen.isHidden = first >> 4 == 15
        pen.isItalic = second & 0x80 != 0
        pen.isUnderlined = second & 0x40 != 0
    }

    /// SetPenColor, of which only the foreground is kept.
    mutating func setPen(color: UInt8) { pen.color = color & 0x3F }

    /// SetPenLocation.
    mutating func movePen(toRow row: Int, column: Int) { (self.row, self.column) = (row, column) }

    mutating func setVisible(_ isVisible: Bool) { self.isVisible = isVisible }

    var isVertical: Bool { printing == .topToBottom || printing == .bottomToTop }

    func cell(_ row: Int, _ column: Int) -> Cell? { cells[row * Self.columns + column] }

    mutating func set(_ cell: Cell?, _ row: Int, _ column: Int) { cells[row * Self.columns + column] = cell }

    mutating func clear() { for index in cells.indices { cells[index] = nil } }

    /// Moves the pen to where writing starts.
    mutating func goHome() {
        row = printing == .bottomToTop ? definition.rowCount - 1 : 0
        column = printing == .rightToLeft ? definition.columnCount - 1 : 0
    }
}

// MARK: Writing

extension ServiceWindow {
    /// Writes at the pen position and advances the pen. Text beyond the largest possible window is lost. Text beyond
    /// this window is kept, unless word wrap is on.
    mutating func write(_ character: Unicode.Scalar) {
        if wrapsWords, isPastEdge { wrap(before: character) }
        guard (0..<Self.rows).contains(row), (0..<Self.columns).contains(column) else { return }
        set(Cell(character: character, pen: pen), row, column)
        move(by: 1)
    }

    /// Moves the pen back by one and erases that cell.
    mutating func backspace() {
        move(by: -1)
        row = min(max(row, 0), Self.rows - 1)
        column = min(max(column, 0), Self.columns - 1)
        set(nil, row, column)
    }

    /// Moves to the next line, or scrolls if there is none.
    mutating func carriageReturn() {
        switch (isVertical, scrolling) {
        case (false, .topToBottom): if row > 0 { row -= 1 } else { scrollRows(by: -1) }
        case (false, _): if row + 1 < definition.rowCount { row += 1 } else { scrollRows(by: 1) }
        case (true, .leftToRight): if column > 0 { column -= 1 } else { scrollColumns(by: -1) }
        case (true, _): if column + 1 < definition.columnCount { column += 1 } else { scrollColumns(by: 1) }
        }
        goToLineStart()
    }

    /// Moves to the start of the line and erases the line.
    mutating func horizontalReturn() {
        if isVertical {
            for row in 0..<Self.rows where (0..<Self.columns).contains(column) { set(nil, row, column) }
        } else {
            for column in 0..<Self.columns where (0..<Self.rows).contains(row) { set(nil, row, column) }
        }
        goToLineStart()
    }

    private mutating func goToLineStart() {
        switch printing {
        case .leftToRight: column = 0
        case .rightToLeft: column = definition.columnCount - 1
        case .topToBottom: row = 0
        case .bottomToTop: row = definition.rowCount - 1
        }
    }

    /// Advancing moves the pen at most one cell past the end of the largest possible window.
    private mutating func move(by count: Int) {
        switch printing {
        case .leftToRight: column = min(column + count, Self.columns)
        case .rightToLeft: column = max(column - count, -1)
        case .topToBottom: row = min(row + count, Self.rows)
        case .bottomToTop: row = max(row - count, -1)
        }
    }

    private var isPastEdge: Bool {
        switch printing {
        case .leftToRight: column >= definition.columnCount
        case .rightToLeft: column < 0
        case .topToBottom: row >= definition.rowCount
        case .bottomToTop: row < 0
        }
    }

    /// Moves to the next line, together with the word that `character` continues.
    private mutating func wrap(before character: Unicode.Scalar) {
        var word: [Cell] = []
        if printing == .leftToRight, character != " ", (0..<Self.rows).contains(row) {
            var start = min(column, Self.columns)
            while start > 0, let cell = cell(row, start - 1), cell.character != " " {
                start -= 1
                word.insert(cell, at: 0)
            }
            // A word that fills its line is split.
            if start == 0 { word = [] }
            for column in start..<(start + word.count) { set(nil, row, column) }
        }
        carriageReturn()
        for cell in word where column < Self.columns {
            set(cell, row, column)
            column += 1
        }
    }

    private mutating func scrollRows(by count: Int) {
        let rows = definition.rowCount
        for row in count > 0 ? Array(0..<rows) : Array((0..<rows).reversed()) {
            for column in 0..<Self.columns {
                let source = row + count
                set((0..<rows).contains(source) ? cell(source, column) : nil, row, column)
            }
        }
        row = min(max(row, 0), rows - 1)
    }

    private mutating func scrollColumns(by count: Int) {
        let columns = definition.columnCount
        for column in count > 0 ? Array(0..<columns) : Array((0..<columns).reversed()) {
            for row in 0..<Self.rows {
                let source = column + count
                set((0..<columns).contains(source) ? cell(row, source) : nil, row, column)
            }
        }
        column = min(max(column, 0), columns - 1)
    }
}
