// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

// What a failed session keeps in order to continue when its source can be read again.

extension PlayerStateMachine.State {
    /// The error state, with what the failure interrupts. `nil` if a failure changes nothing here. A seek is not kept:
    /// the playhead is already at its target, unless the seek was made during opening and its target is the end or the
    /// live edge.
    func afterFailure(_ error: EngineError) -> Self? {
        switch self {
        case .error, .stopping, .idle: nil
        case .opening, .ready, .play, .playing, .pausing, .paused, .buffering, .seeking, .ended:
            .error(error, interrupted: PlayerOpening(thenPlay: wantsToPlay, rest: rest))
        }
    }

    /// What the failure interrupted. `nil` unless the session has failed with a recoverable error.
    var interrupted: PlayerOpening? {
        if case .error(let error, let interrupted) = self, error.code.isRecoverable { interrupted } else { nil }
    }

    /// The error of a failed session that no refresh of its source can revive. `nil` for any other session.
    var finalError: EngineError? {
        if interrupted == nil, case .error(let error, _) = self { error } else { nil }
    }
}

extension EngineError {
    /// The answer to a refresh of a session that has failed for good with this error.
    func final(for session: SessionID) -> EngineError {
        let text = "session \(session.rawValue) has to load its source again, because it has failed: \(message)"
        return EngineError(code, text, cause: cause)
    }
}

extension EngineError.Code {
    /// Whether a source that failed with this code may be read later, from another URL or with other header fields. The
    /// media must be the same, so a change of the source is not recoverable.
    var isRecoverable: Bool {
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
    /// Whether this command makes a failed session try again.
    var restartsFailedSession: Bool {
        switch self {
        case .play, .seek: true
        case .pause, .setRate, .setVolume, .setMuted, .setLooping, .setLoopPoints, .setAudioDelay, .setSubtitleDelay,
            .skipChapter:
            false
        }
    }
}
