// SPDX-License-Identifier: Apache-2.0

internal import CEngineProto
package import EngineModel

// Encodes the commands of engine.v1.Engine.
extension CommandRequest {
    package func framed() -> [UInt8] {
        switch command {
        case .player(let command): framed(command)
        case .tracks(let command): framed(command)
        case .output(.selectPath(let path)): framed(selecting: path)
        case .output(.setSoundOutput(let output)): framed(hearing: output)
        case .filters(let command): framed(command)
        case .stop: framedSession()
        }
    }

    private func framedSession() -> [UInt8] {
        unsafe encodeFramed { arena in
            let wire = unsafe arena.message(Engine__V1__SessionRequest.self)
            unsafe wire.pointee.session_id = arena.string(session?.rawValue ?? "")
            unsafe wire.pointee.if_revision = ifRevision ?? 0
            unsafe wire.pointee.request_id = arena.string(requestID)
            return unsafe wire
        }
    }

    private func framed(_ command: PlayerCommand) -> [UInt8] {
        let id = session?.rawValue ?? ""
        let revision = ifRevision ?? 0
        switch command {
        case .play, .pause: return framedSession()
        case .seek(let seek):
            return unsafe encodeFramed { arena in
                let wire = unsafe arena.message(Engine__V1__SeekRequest.self)
                unsafe wire.pointee.session_id = arena.string(id)
                unsafe wire.pointee.if_revision = revision
                unsafe wire.pointee.request_id = arena.string(requestID)
                unsafe wire.pointee.position_us = seek.target.microseconds
                unsafe wire.pointee.relative = seek.target.isRelative ? 1 : 0
                unsafe wire.pointee.place = seek.target.place
                unsafe wire.pointee.mode = seek.mode.wire
                unsafe wire.pointee.after = seek.after
                return unsafe wire
            }
        case .setRate(let rate):
            return unsafe encodeFramed { arena in
                let wire = unsafe arena.message(Engine__V1__SetRateRequest.self)
                unsafe wire.pointee.session_id = arena.string(id)
                unsafe wire.pointee.if_revision = revision
                unsafe wire.pointee.request_id = arena.string(requestID)
                unsafe wire.pointee.rate = rate
                return unsafe wire
            }
        case .setVolume(let volume):
            return unsafe encodeFramed { arena in
                let wire = unsafe arena.message(Engine__V1__SetVolumeRequest.self)
                unsafe wire.pointee.session_id = arena.string(id)
                unsafe wire.pointee.if_revision = revision
                unsafe wire.pointee.request_id = arena.string(requestID)
                unsafe wire.pointee.volume = volume
                return unsafe wire
            }
        case .setMuted(let isMuted):
            return unsafe encodeFramed { arena in
                let wire = unsafe arena.message(Engine__V1__SetMutedRequest.self)
                unsafe wire.pointee.session_id = arena.string(id)
                unsafe wire.pointee.if_revision = revision
                unsafe wire.pointee.request_id = arena.string(requestID)
                unsafe wire.pointee.muted = isMuted ? 1 : 0
                return unsafe wire
            }
        case .setLooping(let isLooping):
            return unsafe encodeFramed { arena in
                let wire = unsafe arena.message(Engine__V1__SetLoopingRequest.self)
                unsafe wire.pointee.session_id = arena.string(id)
                unsafe wire.pointee.if_revision = revision
                unsafe wire.pointee.request_id = arena.string(requestID)
                unsafe wire.pointee.looping = isLooping ? 1 : 0
                return unsafe wire
            }
        case .skipChapter(let step):
            return unsafe encodeFramed { arena in
                let wire = unsafe arena.message(Engine__V1__SkipChapterRequest.self)
                unsafe wire.pointee.session_id = arena.string(id)
                unsafe wire.pointee.if_revision = revision
                unsafe wire.pointee.request_id = arena.string(requestID)
                unsafe wire.pointee.step = step.wire
                return unsafe wire
            }
        }
    }

    private func framed(_ command: TrackCommand) -> [UInt8] {
        let id = session?.rawValue ?? ""
        let revision = ifRevision ?? 0
        switch command {
        case .selectAudio(let selection):
            return unsafe encodeFramed { arena in
                let wire = unsafe arena.message(Engine__V1__SelectAudioRequest.self)
                unsafe wire.pointee.session_id = arena.string(id)
                unsafe wire.pointee.if_revision = revision
                unsafe wire.pointee.request_id = arena.string(requestID)
                unsafe wire.pointee.audio = selection.wire(in: arena)
                return unsafe wire
            }
        case .selectSubtitles(let selection):
            return unsafe encodeFramed { arena in
                let wire = unsafe arena.message(Engine__V1__SelectSubtitlesRequest.self)
                unsafe wire.pointee.session_id = arena.string(id)
                unsafe wire.pointee.if_revision = revision
                unsafe wire.pointee.request_id = arena.string(requestID)
                unsafe wire.pointee.subtitles = selection.wire(in: arena)
                return unsafe wire
            }
        case .addSubtitles(let sidecar): return framed(adding: sidecar)
        case .removeSubtitles(let track): return framed(removing: track)
        }
    }
}

extension SeekCommand.Target {
    fileprivate var microseconds: Int64 {
        switch self {
        case .position(let position), .relative(let position): position.microseconds
        case .begin, .end: 0
        }
    }

    fileprivate var isRelative: Bool {
        if case .relative = self { true } else { false }
    }

    fileprivate var place: Engine__V1__SeekPlace {
        switch self {
        case .position, .relative: ENGINE__V1__SEEK_PLACE__SEEK_PLACE_UNSPECIFIED
        case .begin: ENGINE__V1__SEEK_PLACE__SEEK_PLACE_BEGIN
        case .end: ENGINE__V1__SEEK_PLACE__SEEK_PLACE_END
        }
    }
}

extension SeekCommand.Mode {
    fileprivate var wire: Engine__V1__SeekMode {
        switch self {
        case .exact: ENGINE__V1__SEEK_MODE__SEEK_MODE_EXACT
        case .keyframe: ENGINE__V1__SEEK_MODE__SEEK_MODE_KEYFRAME
        }
    }
}

extension SeekCommand {
    fileprivate var after: Engine__V1__AfterSeek {
        switch thenPlay {
        case .none: ENGINE__V1__AFTER_SEEK__AFTER_SEEK_UNSPECIFIED
        case .some(true): ENGINE__V1__AFTER_SEEK__AFTER_SEEK_PLAY
        case .some(false): ENGINE__V1__AFTER_SEEK__AFTER_SEEK_PAUSE
        }
    }
}

extension ChapterStep {
    fileprivate var wire: Engine__V1__ChapterStep {
        switch self {
        case .next: ENGINE__V1__CHAPTER_STEP__CHAPTER_STEP_NEXT
        case .previous: ENGINE__V1__CHAPTER_STEP__CHAPTER_STEP_PREVIOUS
        }
    }
}
