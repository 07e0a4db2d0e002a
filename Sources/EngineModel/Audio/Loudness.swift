// SPDX-License-Identifier: Apache-2.0

/// A request to measure the loudness of an audio track, independently of playback.
public struct LoudnessRequest: Hashable, Sendable {
    public enum Place: Hashable, Sendable {
        /// `nil`: the default session.
        case session(SessionID?)
        /// See `LoadRequest.source`.
        case source(String)
    }

    public var place: Place
    /// The track, by its stream index in the source. `nil`: for a session, the track that it plays; for a source that
    /// is not loaded, the track that the source marks as its default, otherwise the first.
    public var stream: Int?
    /// Ignored for a session, which has its own.
    public var http = HTTPOptions()
    /// The program of a source. Ignored for a session, which has its own.
    public var program = ProgramSelection.automatic

    public init(_ place: Place) { self.place = place }
}

/// The loudness of a whole audio track (EBU R 128).
public struct Loudness: Hashable, Sendable {
    /// The integrated loudness in LUFS (ITU-R BS.1770-4). Minus infinity if no part of the track is above the absolute
    /// gate of -70 LUFS.
    public var integrated: Double
    /// The loudness range in LU (EBU Tech 3342).
    public var range: Double
    /// The true peak in dBTP (ITU-R BS.1770-4, annex 2), of the loudest channel. Minus infinity if all samples are zero.
    public var truePeak: Double
    /// The length of the measured audio.
    public var duration: MediaTime

    public init(integrated: Double, range: Double, truePeak: Double, duration: MediaTime) {
        self.integrated = integrated
        self.range = range
        self.truePeak = truePeak
        self.duration = duration
    }
}

/// How far a measurement has come.
public struct LoudnessStep: Hashable, Sendable {
    /// The fraction of the track that has been measured: 0 … 1. 0 until the end if the length of the source is unknown.
    public var progress = 0.0
    /// The track that is measured, by its stream index in the source.
    public var stream: Int
    /// Only in the last step.
    public var loudness: Loudness?

    public init(stream: Int) { self.stream = stream }
}
