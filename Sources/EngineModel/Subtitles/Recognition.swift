// SPDX-License-Identifier: Apache-2.0

/// A request to read the text in a bitmap subtitle track of a session, and to add it as a track of its own.
public struct RecognitionRequest: Hashable, Sendable {
    /// `nil`: the default session.
    public var session: SessionID?
    /// `SubtitleTrack.id`.
    public var track: Int
    /// The language of the text. Empty: that of the track.
    public var language = ""
    /// Whether the new track is shown instead of the current ones.
    public var isShown = false

    public init(session: SessionID?, track: Int) { (self.session, self.track) = (session, track) }
}

/// How far the recognition of a track has come.
public struct RecognitionStep: Hashable, Sendable {
    /// 0 … 1.
    public var progress = 0.0
    /// How many images have been read.
    public var imageCount = 0
    /// The new track's `SubtitleTrack.id`. Only in the last step.
    public var track: Int?

    public init() {}
}
