// SPDX-License-Identifier: Apache-2.0

/// A drawing on top of the video.
public struct Overlay: Hashable, Sendable {
    /// The key by which the overlay is replaced and removed: 1 … 64 bytes.
    public var name: String
    public var drawing: OverlayDrawing
    public var rectangle: OverlayRectangle
    /// Stacking order: higher values are on top. Among equals, the one added later is on top.
    public var z: Int

    public init(name: String, _ drawing: OverlayDrawing, rectangle: OverlayRectangle = .whole, z: Int = 0) {
        self.name = name
        self.drawing = drawing
        self.rectangle = rectangle
        self.z = z
    }

    public init(name: String, svg: String, rectangle: OverlayRectangle = .whole, z: Int = 0) {
        self.init(name: name, .svg(svg), rectangle: rectangle, z: z)
    }
}

/// A rectangle on the frame as displayed, upright and with square pixels: 0 … 1 from its left and top edges.
public struct OverlayRectangle: Hashable, Sendable {
    public var x: Double
    public var y: Double
    public var width: Double
    public var height: Double

    public init(x: Double, y: Double, width: Double, height: Double) {
        (self.x, self.y, self.width, self.height) = (x, y, width, height)
    }

    public static let whole = OverlayRectangle(x: 0, y: 0, width: 1, height: 1)
}

/// The position and size of an overlay in whole pixels.
public struct OverlayBounds: Hashable, Sendable {
    /// On the frame as displayed, whose size is `pictureWidth` x `pictureHeight`.
    public var x: Int
    public var y: Int
    public var width: Int
    public var height: Int
    public var pictureWidth: Int
    public var pictureHeight: Int

    public init(x: Int, y: Int, width: Int, height: Int, pictureWidth: Int, pictureHeight: Int) {
        (self.x, self.y, self.width, self.height) = (x, y, width, height)
        (self.pictureWidth, self.pictureHeight) = (pictureWidth, pictureHeight)
    }
}

/// An overlay as the session's state reports it.
public struct PlacedOverlay: Hashable, Sendable {
    public var name: String
    public var rectangle: OverlayRectangle
    public var z: Int
    /// `nil` until a frame has been shown.
    public var bounds: OverlayBounds?

    public init(name: String, rectangle: OverlayRectangle, z: Int, bounds: OverlayBounds? = nil) {
        (self.name, self.rectangle, self.z, self.bounds) = (name, rectangle, z, bounds)
    }
}

extension Overlay {
    package static let nameLimit = 64
    package static let textLimit = 64 << 10
    /// In bytes, for the drawings of all overlays of a session together.
    package static let totalLimit = 256 << 10
    package static let countLimit = 16
    package static let heights = -1_000_000...1_000_000

    /// Checks everything but the drawing, which is checked when it is drawn.
    ///
    /// - Throws: `invalidArgument`, naming the field, for values that are out of range.
    package func checked() throws(EngineError) -> Overlay {
        if name.isEmpty { throw .invalid("name", "is empty") }
        if name.utf8.count > Self.nameLimit { throw .invalid("name", "is longer than \(Self.nameLimit) bytes") }
        if !Self.heights.contains(z) { throw .invalid("z", "must be -1000000 … 1000000") }
        try rectangle.check()
        return self
    }
}

extension OverlayRectangle {
    fileprivate func check() throws(EngineError) {
        for (field, value) in [("x", x), ("y", y), ("width", width), ("height", height)]
        where !(0...1).contains(value) {
            throw .invalid("rectangle.\(field)", "must be 0 … 1")
        }
        if width == 0 { throw .invalid("rectangle.width", "is 0") }
        if height == 0 { throw .invalid("rectangle.height", "is 0") }
        // The sum of two values from a client may be off by a rounding error.
        if x + width > 1 + 1e-9 { throw .invalid("rectangle.width", "extends beyond the frame") }
        if y + height > 1 + 1e-9 { throw .invalid("rectangle.height", "extends beyond the frame") }
    }
}
