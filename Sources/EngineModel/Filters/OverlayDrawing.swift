// SPDX-License-Identifier: Apache-2.0

/// The content of an overlay.
public enum OverlayDrawing: Hashable, Sendable {
    /// A self-contained SVG document.
    case svg(String)
    case ass(ASSDrawing)

    /// The drawing's source text.
    package var text: String {
        switch self {
        case .svg(let svg): svg
        case .ass(let drawing): drawing.text
        }
    }

    /// The field of the message that holds the drawing.
    package var field: String {
        switch self {
        case .svg: "svg"
        case .ass: "ass"
        }
    }
}

/// Drawings in ASS syntax, one per line, later lines on top, such as `{\p1\c&H0000FF&}m 0 0 l 100 0 100 50`.
public struct ASSDrawing: Hashable, Sendable {
    public var text: String
    /// The size of the script area that fills the rectangle. 0: the bounds of the drawing.
    public var width: Int
    public var height: Int

    public init(_ text: String, width: Int = 0, height: Int = 0) {
        self.text = text
        self.width = width
        self.height = height
    }
}
