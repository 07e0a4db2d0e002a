// SPDX-License-Identifier: Apache-2.0

/// Something to read or look at for a while, on the source's own clock: on a session's timeline it is due `MediaDescription.start`
/// earlier. What comes from a file beside the source counts from where the timeline starts.
public struct Cue: Hashable, Sendable {
    public enum Content: Hashable, Sendable {
        case text(CueText)
        case image(CueImage)
        /// Nothing is on from here: ends what was on before. Only on the way into a list of cues, never out of it.
        case nothing
    }

    /// Names the cue: a digest of what it is, so the same cue has the same id whenever and wherever it was read.
    public private(set) var id: UInt64
    /// `SubtitleTrack.id`.
    public private(set) var track: Int
    public private(set) var start: MediaTime
    /// Never before `start`. `nil` while what follows has not been read: the cue lasts until the next of its track.
    public private(set) var end: MediaTime?
    public private(set) var content: Content
    /// To be shown even where subtitles are off.
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

    /// A cue that came from elsewhere with the id it has there.
    public init(id: UInt64, track: Int, start: MediaTime, end: MediaTime?, content: Content, isForced: Bool) {
        self.id = id
        self.track = track
        self.start = start
        self.end = end
        self.content = content
        self.isForced = isForced
    }

    /// The same cue, no longer open. Its id stays.
    public func closed(at end: MediaTime) -> Cue {
        var cue = self
        cue.end = max(end, start)
        return cue
    }

    /// The same cue on a clock that is ahead by `shift`. Its id stays, and so does the line of its script.
    package func shifted(by shift: MediaTime) -> Cue {
        guard shift != .zero else { return self }
        var cue = self
        cue.start = start + shift
        cue.end = end.map { $0 + shift }
        return cue
    }

    /// The same cue without the line of its script.
    public var withoutRaw: Cue {
        guard case .text(var text) = content, text.raw != nil else { return self }
        text.raw = nil
        var cue = self
        cue.content = .text(text)
        return cue
    }

    public func isOn(at time: MediaTime) -> Bool { start <= time && end.map { time < $0 } ?? true }

    /// Whether any of it lies in `range`; a cue without length lies where it starts.
    public func overlaps(_ range: MediaTimeRange) -> Bool {
        guard start < range.end else { return false }
        return end.map { $0 > range.start || $0 == start && start >= range.start } ?? true
    }
}

/// A place or a corner, in fractions of the picture's width and height from its upper left corner.
public struct CuePosition: Hashable, Sendable {
    public var x: Double
    public var y: Double

    public init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }
}

public struct CueText: Hashable, Sendable {
    /// Lines are parted by U+000A; no markup.
    public var plain: String
    /// The same text in stretches of one look each.
    public var runs: [TextRun]
    /// As on a numeric keypad: 1 is lower left, 2 lower middle, 9 upper right.
    public var alignment: Int
    /// Where that point of the text is, when the source says; else it is at the edge that `alignment` names.
    public var position: CuePosition?
    /// The line of an ASS or SSA script, `Dialogue: …`, with the cue's times. Only of sources that are scripts, and only where
    /// it was asked for.
    public var raw: String?

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

/// Text of one look. What is `nil` is left to whoever shows it.
public struct TextRun: Hashable, Sendable {
    public var text: String
    public var isBold = false
    public var isItalic = false
    public var isUnderlined = false
    public var isStruckOut = false
    /// 0xRRGGBB.
    public var color: UInt32?
    public var font: String?
    /// The height of a line, as a fraction of the picture's.
    public var size: Double?

    public init(text: String) { self.text = text }

    public var isPlain: Bool {
        !isBold && !isItalic && !isUnderlined && !isStruckOut && color == nil && font == nil && size == nil
    }
}

/// A picture to lay over the video.
public struct CueImage: Hashable, Sendable {
    /// A PNG of RGBA, 8 bits each, colours multiplied by alpha, cropped to what is not transparent.
    public var png: [UInt8]
    public var width: Int
    public var height: Int
    /// Of the upper left pixel, in fractions of the canvas.
    public var corner: CuePosition
    /// Width and height, in fractions of the canvas.
    public var extent: CuePosition
    /// What the source composed it for, in pixels.
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
