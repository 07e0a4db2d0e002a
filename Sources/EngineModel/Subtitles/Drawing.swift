// SPDX-License-Identifier: Apache-2.0

/// A request for the pictures of one subtitle track, drawn for a canvas.
public struct DrawingRequest: Hashable, Sendable {
    /// The sides that a canvas may have, in pixels.
    package static let sides = 16...8192
    /// The frame rates at which moving subtitles are drawn.
    package static let frameRates = 1.0...120.0

    /// The track and the range. `isRaw` is ignored.
    public var cues: CueRequest
    /// The size of the video as it is shown, in pixels.
    public var width: Int
    public var height: Int
    /// How many pictures per second are drawn while subtitles move. `nil`: as many frames as the session's video has,
    /// or 25 if that is not known or not in `frameRates`.
    public var frameRate: Double?

    /// Whether the colours of images are not premultiplied by alpha.
    public var hasStraightAlpha = false
    /// Whether the images are drawn into a video, so that compressing them would be a waste.
    package var isForVideo = false

    public init(_ cues: CueRequest, width: Int, height: Int) {
        (self.cues, self.width, self.height) = (cues, width, height)
    }
}

/// Everything that a subtitle track shows from `start` to `end`. Replaces the picture before it.
public struct DrawnPicture: Hashable, Sendable {
    /// On the clock of the cues, as in `Cue`.
    public var start: MediaTime
    /// `nil`: the picture stays.
    public var end: MediaTime?
    /// They do not overlap. Empty: nothing is shown.
    public var images: [CueImage]

    public init(start: MediaTime, end: MediaTime?, images: [CueImage]) {
        (self.start, self.end, self.images) = (start, end, images)
    }
}

/// Some of the requested pictures.
public struct DrawnBatch: Hashable, Sendable {
    /// The track that is drawn. Only in the first batch.
    public var track: SubtitleTrack?
    /// The fonts of the source. Only in the first batch.
    public var fonts: EmbeddedFonts?
    /// In the order of their times.
    public var pictures: [DrawnPicture] = []
    /// The fraction of the data that has been read: 0 … 1.
    public var progress = 0.0

    public init() {}
}

/// A report on the fonts that are embedded in a source for its subtitles.
public struct EmbeddedFonts: Hashable, Sendable {
    public var count = 0
    /// How many were left out because there are too many, or because they are too large.
    public var leftOutCount = 0
    /// Why the source could not be read for its fonts. Empty if it could.
    public var failure = ""

    public init() {}
}
