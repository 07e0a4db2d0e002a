// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

extension Phase.Name {
    /// The phase's number in the contract.
    var wire: Proto.Phase {
        switch self {
        case .idle: .idle
        case .opening: .opening
        case .ready: .ready
        case .play: .play
        case .playing: .playing
        case .pausing: .pausing
        case .paused: .paused
        case .buffering: .buffering
        case .seeking: .seeking
        case .ended: .ended
        case .stopping: .stopping
        case .error: .error
        }
    }

    /// `nil` for a number that this build does not know.
    init?(wire: Proto.Phase) {
        guard let name = Self.allCases.first(where: { $0.wire == wire }) else { return nil }
        self = name
    }
}

extension Phase {
    /// A phase that this build does not know is decoded as `opening`, in which nothing can be played.
    init(wire: Proto.Phase, error: EngineError?) {
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
