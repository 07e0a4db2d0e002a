// SPDX-License-Identifier: Apache-2.0

internal import CEngineProto
internal import EngineModel

extension Phase.Name {
    /// The phase's number in the contract.
    var wire: Engine__V1__Phase {
        switch self {
        case .idle: ENGINE__V1__PHASE__PHASE_IDLE
        case .opening: ENGINE__V1__PHASE__PHASE_OPENING
        case .ready: ENGINE__V1__PHASE__PHASE_READY
        case .play: ENGINE__V1__PHASE__PHASE_PLAY
        case .playing: ENGINE__V1__PHASE__PHASE_PLAYING
        case .pausing: ENGINE__V1__PHASE__PHASE_PAUSING
        case .paused: ENGINE__V1__PHASE__PHASE_PAUSED
        case .buffering: ENGINE__V1__PHASE__PHASE_BUFFERING
        case .seeking: ENGINE__V1__PHASE__PHASE_SEEKING
        case .ended: ENGINE__V1__PHASE__PHASE_ENDED
        case .stopping: ENGINE__V1__PHASE__PHASE_STOPPING
        case .error: ENGINE__V1__PHASE__PHASE_ERROR
        }
    }

    /// `nil` for a number that this build does not know.
    init?(wire: Engine__V1__Phase) {
        guard let name = Self.allCases.first(where: { $0.wire == wire }) else { return nil }
        self = name
    }
}

extension Phase {
    /// A phase that this build does not know is decoded as `opening`, in which nothing can be played.
    init(wire: Engine__V1__Phase, error: EngineError?) {
        switch Name(wire: wire) ?? .opening {
        case .idle: self = .idle
        case .opening: self = .opening
        case .ready: self = .ready
        case .play: self = .play
        case .playing: self = .playing
        case .pausing: self = .pausing
        case .paused: self = .paused
        case .buffering: self = .buffering
        case .seeking: self = .seeking
        case .ended: self = .ended
        case .stopping: self = .stopping
        case .error: self = .error(error ?? EngineError(.internal, "the session failed without a reason"))
        }
    }
}
