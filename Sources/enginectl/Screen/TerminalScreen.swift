// SPDX-License-Identifier: Apache-2.0

/// The whole terminal, on its alternate screen (xterm's private mode 1049), until `close`. Lines do not wrap (DECAWM),
/// because lines with wide characters may take more columns than their character count.
struct TerminalScreen {
    /// How pictures are drawn.
    enum Graphics {
        /// kitty's graphics protocol, which some other terminals also support.
        case kitty
        case halfBlocks

        /// - Parameter environment: of this process.
        init(_ environment: [String: String]) {
            let isKitty = environment["KITTY_WINDOW_ID"] != nil || environment["TERM"]?.contains("kitty") == true
            let program = environment["TERM_PROGRAM"]?.lowercased()
            self = isKitty || ["ghostty", "wezterm"].contains(program) ? .kitty : .halfBlocks
        }
    }

    private let graphics: Graphics
    /// The lines on the screen.
    private var drawn: [String] = []
    /// The commands that drew the picture on the screen.
    private var drawnImage = ""
    private var size = (columns: 0, rows: 0)

    init(_ graphics: Graphics) throws(Failure) {
        self.graphics = graphics
        try Terminal.draw("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[2J")
    }

    func close() {
        let picture = graphics == .kitty ? "\u{1B}_Ga=d,q=2\u{1B}\\" : ""
        // If the terminal is gone, nothing has to be restored.
        _ = try? Terminal.draw("\(picture)\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l")
    }

    /// Draws what has changed.
    ///
    /// - Parameter picture: drawn in the rows between the top and the bottom.
    mutating func draw(_ layout: ScreenModel.Layout, _ picture: CellPicture?, columns: Int, rows: Int) throws(Failure) {
        var text = ""
        if (columns, rows) != size {
            (size, drawn, drawnImage) = ((columns, rows), [], "")
            text += "\u{1B}[2J"
        }
        let cells = picture?.cells(columns: columns, rows: layout.pictureRows) ?? (0, 0)
        let isShown = layout.help.isEmpty && cells.0 > 0
        let margin = String(repeating: " ", count: (columns - cells.0) / 2)
        var between = layout.help
        if isShown, graphics == .halfBlocks, let picture {
            between = picture.halfBlocks(columns: cells.0, rows: cells.1).map { margin + $0 }
        }
        between += [String](repeating: "", count: max(0, layout.pictureRows - between.count))
        let lines = layout.top + between + layout.bottom
        for (row, line) in lines.enumerated() where row >= drawn.count || drawn[row] != line {
            text += "\u{1B}[\(row + 1);1H\(line)\u{1B}[K"
        }
        drawn = lines
        if graphics == .kitty {
            var image = "\u{1B}_Ga=d,q=2\u{1B}\\"
            if isShown, let picture {
                let place = "\u{1B}[\(layout.top.count + 1);\(margin.count + 1)H"
                image = place + picture.kitty(columns: cells.0, rows: cells.1)
            }
            if image != drawnImage { text += image }
            drawnImage = image
        }
        if !text.isEmpty { try Terminal.draw(text) }
    }
}
