// SPDX-License-Identifier: Apache-2.0

/// The state of a source's playback, as reported to its servers (`CMCDOptions`).
package struct PlaybackReport: Hashable, Sendable {
    /// Tokens of the key `sta` of CTA-5004.
    package enum State: String, Hashable, Sendable {
        case starting = "s"
        case playing = "p"
        case seeking = "k"
        case rebuffering = "r"
        case paused = "a"
        case ended = "e"
        case failed = "f"
    }

    package var state = State.starting
    package var rate = 1.0
    /// How much media is available after the playhead. `nil` if none is available at the playhead.
    package var buffered: Duration?
    /// How often playback has run out of media.
    package var stalls: UInt64 = 0
    package var isLive = false
    /// The average bit rate of the source, in bits per second.
    package var bitrate: Double?

    package init() {}

    /// - Parameter now: nanoseconds of CLOCK_MONOTONIC.
    package init(_ session: SessionState, now: Int64) {
        let playhead = session.position.position(at: now)
        state =
            switch session.phase {
            case .playing: .playing
            case .seeking: .seeking
            case .buffering: .rebuffering
            case .pausing, .paused: .paused
            case .ended: .ended
            case .error: .failed
            case .idle, .opening, .ready, .play, .stopping: .starting
            }
        rate = state == .paused ? 0 : session.position.requestedRate
        buffered = session.buffered.first { $0.start <= playhead && playhead <= $0.end }
            .map { .microseconds($0.end.microseconds - playhead.microseconds) }
        stalls = session.statistics.stalls
        isLive = session.live != nil
        bitrate = session.media.flatMap { $0.bitRate > 0 ? Double($0.bitRate) : nil }
    }
}
