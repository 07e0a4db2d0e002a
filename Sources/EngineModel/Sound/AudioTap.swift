// SPDX-License-Identifier: Apache-2.0

/// A wish to have the decoded sound of a session beside its playback.
public struct AudioTapRequest: Hashable, Sendable {
    /// How the tap moves over the timeline.
    public enum Pace: Hashable, Sendable {
        /// With the playhead, at most so far ahead of it.
        case playhead(lead: MediaTime)
        /// As fast as it can be had, from a place to the end.
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

/// Some of the sound of a session: one channel, 48,000 samples a second.
public struct TappedSound: Hashable, Sendable {
    public static let sampleRate = 48_000

    /// The place on the timeline of the first sample.
    public var time: MediaTime
    /// Full scale is 1.
    public var samples: [Float]
    /// Whether it does not follow what came before: the first piece, after a seek, another track, a gap of the source.
    public var isDiscontinuous: Bool
    /// How much of the timeline was left out because it was not taken in time. Not zero only where it is discontinuous.
    public var skipped: MediaTime
    /// The stream it is of, by its index in the source.
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
