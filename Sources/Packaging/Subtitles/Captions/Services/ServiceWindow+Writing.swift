// SPDX-License-Identifier: Apache-2.0

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

    /// The pen may move at most one cell past either end.
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
