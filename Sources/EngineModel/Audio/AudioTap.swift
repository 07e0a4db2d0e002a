// SPDX-License-Identifier: Apache-2.0

/// A request for a session's decoded audio, which is delivered alongside playback without affecting it.
public struct AudioTapRequest: Hashable, Sendable {
    /// How the tap advances along the timeline.
    public enum Pace: Hashable, Sendable {
        /// With the playhead, at most this far ahead of it.
        case playhead(lead: MediaTime)
        /// As fast as possible, from a position to the end.
        case free(from: MediaTime)
    }

    /// `nil`: the default session.
    public var session: SessionID?
    public var pace: Pace

    package static let usualLead = MediaTime.seconds(0.5)
    package static let longestLead = MediaTime.seconds(10)

    public init(session: SessionID? = nil, pace: Pace = .playhead(lead: .seconds(0.5))) {
        self.session = session
        self.pace = pace
    }
}

/// A piece of a session's audio: mono, 48,000 samples per second.
public struct TappedAudio: Hashable, Sendable {
    public static let sampleRate = 48_000

    /// The position of the first sample on the timeline.
    public var time: MediaTime
    /// Full scale is 1.
    public var samples: [Float]
    /// Whether this piece does not continue the previous one: because it is the first, or because of a jump of the
    /// playhead, a change of track, skipped audio or a gap in the source.
    public var isDiscontinuous: Bool
    /// How much of the timeline was skipped before this piece because the reader was too slow. Non-zero only for a
    /// discontinuous piece.
    public var skipped: MediaTime
    /// The stream that the audio comes from, by its index in the source.
    public var stream: Int

    public init(
        time: MediaTime,
        samples: [Float],
        isDiscontinuous: Bool = false,
        skipped: MediaTime = .zero,
        stream: Int = 0
    ) {
        self.time = time
        self.samples = samples
        self.isDiscontinuous = isDiscontinuous
        self.skipped = skipped
        self.stream = stream
    }
}
