// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// `org.mpris.MediaPlayer2.Player` except `Position`, which clients query and which is never announced.
struct PlayerProperties: Hashable, Sendable {
    var status = PlaybackStatus.stopped
    var loop = LoopStatus.none
    var rate = 1.0
    var rateRange: ClosedRange<Double> = 1...1
    var metadata = TrackMetadata.none
    var volume = 1.0
    var canGoNext = false
    var canGoPrevious = false
    var canPlay = false
    var canSeek = false

    /// The properties when there is no session.
    init() {}

    /// - Parameters:
    ///   - status: the previous status. A seek keeps `playing`.
    ///   - position: the current playhead.
    init(_ state: SessionState, after status: PlaybackStatus, at position: MediaTime) {
        self.status = state.playbackStatus(after: status)
        loop = state.isLooping ? .track : .none
        rate = state.position.requestedRate == 0 ? 1 : state.position.requestedRate
        rateRange = state.rateRange
        metadata = TrackMetadata.values(of: state)
        // MPRIS has no property for muting, so a muted session has a volume of 0.
        volume = state.isMuted ? 0 : state.volume
        canPlay = state.phase.name.isLoaded
        canSeek = canPlay && !state.seekable.isEmpty
        let chapters = state.media?.chapters ?? []
        canGoNext = canPlay && chapters.target(.next, from: position) != nil
        canGoPrevious = canPlay && chapters.target(.previous, from: position) != nil
    }

    var values: [String: DBusValue] {
        [
            "PlaybackStatus": .string(status.rawValue),
            "LoopStatus": .string(loop.rawValue),
            "Rate": .double(rate),
            "Shuffle": .boolean(false),
            "Metadata": .dictionary(metadata),
            "Volume": .double(volume),
            "MinimumRate": .double(rateRange.lowerBound),
            "MaximumRate": .double(rateRange.upperBound),
            "CanGoNext": .boolean(canGoNext),
            "CanGoPrevious": .boolean(canGoPrevious),
            "CanPlay": .boolean(canPlay),
            "CanPause": .boolean(canPlay),
            "CanSeek": .boolean(canSeek),
            // Must never change (specification). Clients can open a source even without a session.
            "CanControl": .boolean(true),
        ]
    }

    /// The properties that differ from those in `other`.
    func changes(since other: PlayerProperties) -> [String: DBusValue] {
        guard self != other else { return [:] }
        let before = other.values
        return values.filter { before[$0.key] != $0.value }
    }
}

extension SessionState {
    fileprivate func playbackStatus(after status: PlaybackStatus) -> PlaybackStatus {
        switch phase {
        case .idle, .opening, .ended, .stopping, .error: .stopped
        case .ready, .pausing, .paused: .paused
        case .play, .playing, .buffering: position.requestedRate == 0 ? .paused : .playing
        case .seeking: status == .playing ? .playing : .paused
        }
    }
}

extension Phase.Name {
    /// Whether a playable source is loaded.
    var isLoaded: Bool {
        switch self {
        case .ready, .play, .playing, .pausing, .paused, .buffering, .seeking, .ended: true
        case .idle, .opening, .stopping, .error: false
        }
    }
}
