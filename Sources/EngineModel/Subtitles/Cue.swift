// SPDX-License-Identifier: Apache-2.0

/// Text or an image to show for a while. Times are on the source's own clock: subtract `MediaDescription.start` to get
/// the time on a session's timeline. Cues from a sidecar file count from the start of the timeline.
public struct Cue: Hashable, Sendable {
    public enum Content: Hashable, Sendable {
        case text(CueText)
        case image(CueImage)
        /// Ends the cue shown before and shows nothing. Only as input to a cue list, never in its output.
        case nothing
    }

    /// A digest of the track, the times and the content, so that the same cue has the same id whenever and wherever it
    /// is read.
    public private(set) var id: UInt64
    /// `SubtitleTrack.id`.
    public private(set) var track: Int
    public private(set) var start: MediaTime
    /// Never before `start`. `nil` for a cue that the next cue of its track ends, until that cue has been read.
    public private(set) var end: MediaTime?
    public private(set) var content: Content
    /// Shown even if subtitles are off.
    public private(set) var isForced: Bool

    public init(track: Int, start: MediaTime, end: MediaTime?, content: Content, isForced: Bool = false) {
        self.track = track
        self.start = start
        self.end = end.map { max($0, start) }
        self.content = content
        self.isForced = isForced
        id = 0
        id = digest
    }

    /// A cue received from elsewhere, keeping its id.
    public init(id: UInt64, track: Int, start: MediaTime, end: MediaTime?, content: Content, isForced: Bool) {
        self.id = id
        self.track = track
        self.start = start
        self.end = end
        self.content = content
        self.isForced = isForced
    }

    /// The same cue with its end set. Its id does not change.
    public func closed(at end: MediaTime) -> Cue {
        var cue = self
        cue.end = max(end, start)
        return cue
    }

    /// The same cue on a clock that is ahead by `shift`. Its id and its script line do not change.
    package func shifted(by shift: MediaTime) -> Cue {
        guard shift != .zero else { return self }
        var cue = self
        cue.start = start + shift
        cue.end = end.map { $0 + shift }
        return cue
    }

    /// The same cue, with a start before the timeline moved to the start of the timeline.
    package var clippedToTimeline: Cue {
        guard start < .zero else { return self }
        var cue = self
        cue.start = .zero
        return cue
    }

    /// The same cue without its script line. `nil` if it shows no text, but for example a drawing.
    package var readable: Cue? {
        guard case .text(var text) = content, text.raw != nil else { return self }
        guard !text.plain.isEmpty else { return nil }
        (text.raw, text.readOrder) = (nil, 0)
        var cue = self
        cue.content = .text(text)
        return cue
    }

    public func isOn(at time: MediaTime) -> Bool { start <= time && end.map { time < $0 } ?? true }

    /// Whether any part of the cue lies in `range`. A cue of zero duration counts at its start.
    public func overlaps(_ range: MediaTimeRange) -> Bool {
        guard start < range.end else { return false }
        return end.map { $0 > range.start || $0 == start && start >= range.start } ?? true
    }
}

/// A point in fractions of the frame's width and height, from its upper left corner.
public struct CuePosition: Hashable, Sendable {
    public var x: Double
    public var y: Double

    public init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }
}

public struct CueText: Hashable, Sendable {
    /// Lines are separated by U+000A; no markup.
    public var plain: String
    /// The same text in runs of uniform style.
    public var runs: [TextRun]
    /// As on a numeric keypad: 1 is lower left, 2 lower middle, 9 upper right.
    public var alignment: Int
    /// The position of the alignment point, if the source specifies it. Otherwise the text is at the edge named by
    /// `alignment`.
    public var position: CuePosition?
    /// The line of an ASS or SSA script, `Dialogue: …`, with the cue's times. Only for sources that are scripts, and
    /// only if it was requested.
    public var raw: String?
    /// The number of the event in its script (Matroska's `ReadOrder`): where events overlap, later ones are drawn over
    /// earlier ones. Only with `raw`, and only within the engine.
    package var readOrder = 0

    public init(
        plain: String,
        runs: [TextRun],
        alignment: Int = 2,
        position: CuePosition? = nil,
        raw: String? = nil
    ) {
        self.plain = plain
        self.runs = runs
        self.alignment = alignment
        self.position = position
        self.raw = raw
    }
}

/// Text of uniform style. The client chooses any attribute that is `nil`.
public struct TextRun: Hashable, Sendable {
    public var text: String
    public var isBold = false
    public var isItalic = false
    public var isUnderlined = false
    public var isStruckOut = false
    /// 0xRRGGBB.
    public var color: UInt32?
    public var font: String?
    /// Line height as a fraction of the frame's height.
    public var size: Double?

    public init(text: String) { self.text = text }

    public var isPlain: Bool {
        !isBold && !isItalic && !isUnderlined && !isStruckOut && color == nil && font == nil && size == nil
    }
}

/// An image to draw over the video.
public struct CueImage: Hashable, Sendable {
    /// An RGBA PNG, 8 bits per channel, cropped to the area that is not transparent. Premultiplied by alpha, unless
    /// `DrawingRequest.hasStraightAlpha`.
    public var png: [UInt8]
    public var width: Int
    public var height: Int
    /// The upper left corner, in fractions of the canvas.
    public var corner: CuePosition
    /// Width and height, in fractions of the canvas.
    public var extent: CuePosition
    /// The canvas that the source composed the image for, in pixels.
    public var canvasWidth: Int
    public var canvasHeight: Int

    public init(
        png: [UInt8],
        width: Int,
        height: Int,
        corner: CuePosition,
        extent: CuePosition,
        canvasWidth: Int,
        canvasHeight: Int
    ) {
        self.png = png
        self.width = width
        self.height = height
        self.corner = corner
        self.extent = extent
        self.canvasWidth = canvasWidth
        self.canvasHeight = canvasHeight
    }
}
