// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

// A failed session remembers what it was doing, and continues with that once its source may be readable again.

extension PlayerStateMachine.State {
    /// The state after a failure, with what it interrupts; `nil` if it changes nothing. The playhead is already at the
    /// target of an interrupted seek.
    func failed(_ error: EngineError) -> Self? {
        switch self {
        case .error, .stopping, .idle: nil
        case .opening, .ready, .play, .playing, .pausing, .paused, .buffering, .seeking, .ended:
            .error(error, interrupted: PlayerOpening(thenPlay: wantsToPlay, rest: rest))
        }
    }

    /// What the failure interrupted. `nil` unless the session has failed in a way that can be cured.
    var interrupted: PlayerOpening? {
        if case .error(let error, let interrupted) = self, error.code.isCurable { interrupted } else { nil }
    }
}

extension EngineError.Code {
    /// Whether a source that failed with this code may be read later, from another URL or with other header fields. The
    /// media must be the same, so a source that has changed is not curable.
    var isCurable: Bool {
        switch self {
        case .sourceNotFound, .sourceAccessDenied, .sourceNotReadable, .sourceReadFailed, .sourceEmpty, .sourceNotMedia,
            .sourceRefused, .sourceUnreachable, .cancelled:
            true
        case .invalidArgument, .noPlayableStream, .sourceEncrypted, .sourceChanged, .sourceCrashed, .segmentFailed,
            .recordingFailed, .sessionNotFound, .trackNotFound, .programNotFound, .revisionConflict, .rendererConflict,
            .pathConflict, .resourceExhausted, .unavailable, .internal:
            false
        }
    }
}

extension PlayerCommand {
    /// Whether a client that sends this command to a failed session wants it to try again.
    var triesAgain: Bool {
        switch self {
        case .play, .seek: true
        case .pause, .setRate, .setVolume, .setMuted, .setLooping, .setLoopPoints, .setAudioDelay, .setSubtitleDelay,
            .skipChapter:
            false
        }
    }
}
