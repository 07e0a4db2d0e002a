// SPDX-License-Identifier: Apache-2.0

/// What an overlay shows.
public enum OverlayDrawing: Hashable, Sendable {
    /// An SVG document that holds all it shows.
    case svg(String)
    case ass(ASSDrawing)

    /// As it was written.
    var text: String {
        switch self {
        case .svg(let svg): svg
        case .ass(let drawing): drawing.text
        }
    }

    /// Of the message that holds it.
    package var field: String {
        switch self {
        case .svg: "svg"
        case .ass: "ass"
        }
    }

    /// What is drawn, as an SVG document.
    ///
    /// - Throws: `invalidArgument` that names the field, for what refers to something outside or is not understood.
    package func document() throws(EngineError) -> String {
        if text.utf8.count > Overlay.textLimit {
            throw .invalid(field, "is longer than \(Overlay.textLimit) bytes")
        }
        switch self {
        case .svg(let svg):
            try DrawingText.check(svg)
            return svg
        case .ass(let drawing): return try drawing.document()
        }
    }
}

/// Drawings of ASS scripts: a line for each, the later above the earlier, such as `{\p1\c&H0000FF&}m 0 0 l 100 0 100 50`.
public struct ASSDrawing: Hashable, Sendable {
    public var text: String
    /// Of the script's place that fills the rectangle. 0: as large as what is drawn.
    public var width: Int
    public var height: Int

    public init(_ text: String, width: Int = 0, height: Int = 0) {
        self.text = text
        self.width = width
        self.height = height
    }
}
