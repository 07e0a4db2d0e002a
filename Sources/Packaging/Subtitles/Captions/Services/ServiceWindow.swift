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
    var isVisible: Bool
    var pen = Pen()
    private(set) var justification = Justification.left
    private(set) var printing = Direction.leftToRight
    private(set) var scrolling = Direction.bottomToTop
    private(set) var wrapsWords = false
    var row = 0
    var column = 0
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
