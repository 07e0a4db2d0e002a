// SPDX-License-Identifier: Apache-2.0

internal import CEngineProto
package import EngineModel

// Decodes the commands of engine.v1.Engine. Values out of range are clamped later by the engine; invalid values are
// rejected here, with the name of the field.
extension CommandRequest {
    init(
        _ session: UnsafePointer<CChar>?,
        _ revision: UInt64,
        _ id: UnsafePointer<CChar>?,
        _ command: Command
    ) throws(EngineError) {
        try unsafe self.init(
            session: .wire(text(session)),
            ifRevision: revision == 0 ? nil : revision,
            requestID: idempotencyID(id),
            command: command
        )
    }

    /// Decodes a `SessionRequest` whose method means `command`.
    package init(wire bytes: [UInt8], command: Command) throws(EngineError) {
        self = try unsafe decode(bytes, as: Engine__V1__SessionRequest.self) { wire throws(EngineError) in
            try unsafe CommandRequest(wire.session_id, wire.if_revision, wire.request_id, command)
        }
    }

    package init(seek bytes: [UInt8]) throws(EngineError) {
        self = try unsafe decode(bytes, as: Engine__V1__SeekRequest.self) { wire throws(EngineError) in
            let seek = try unsafe SeekCommand(wire: wire)
            return try unsafe CommandRequest(wire.session_id, wire.if_revision, wire.request_id, .player(.seek(seek)))
        }
    }

    package init(setRate bytes: [UInt8]) throws(EngineError) {
        self = try unsafe decode(bytes, as: Engine__V1__SetRateRequest.self) { wire throws(EngineError) in
            if unsafe wire.rate.isNaN { throw .invalid("rate", "is not a number") }
            return try unsafe CommandRequest(
                wire.session_id,
                wire.if_revision,
                wire.request_id,
                .player(.setRate(wire.rate))
            )
        }
    }

    package init(setVolume bytes: [UInt8]) throws(EngineError) {
        self = try unsafe decode(bytes, as: Engine__V1__SetVolumeRequest.self) { wire throws(EngineError) in
            if unsafe wire.volume.isNaN { throw .invalid("volume", "is not a number") }
            let command = unsafe Command.player(.setVolume(wire.volume))
            return try unsafe CommandRequest(wire.session_id, wire.if_revision, wire.request_id, command)
        }
    }

    package init(setMuted bytes: [UInt8]) throws(EngineError) {
        self = try unsafe decode(bytes, as: Engine__V1__SetMutedRequest.self) { wire throws(EngineError) in
            let command = unsafe Command.player(.setMuted(wire.muted != 0))
            return try unsafe CommandRequest(wire.session_id, wire.if_revision, wire.request_id, command)
        }
    }

    package init(setLooping bytes: [UInt8]) throws(EngineError) {
        self = try unsafe decode(bytes, as: Engine__V1__SetLoopingRequest.self) { wire throws(EngineError) in
            let command = unsafe Command.player(.setLooping(wire.looping != 0))
            return try unsafe CommandRequest(wire.session_id, wire.if_revision, wire.request_id, command)
        }
    }

    package init(skipChapter bytes: [UInt8]) throws(EngineError) {
        self = try unsafe decode(bytes, as: Engine__V1__SkipChapterRequest.self) { wire throws(EngineError) in
            let step: ChapterStep
            switch unsafe wire.step {
            case ENGINE__V1__CHAPTER_STEP__CHAPTER_STEP_NEXT: step = .next
            case ENGINE__V1__CHAPTER_STEP__CHAPTER_STEP_PREVIOUS: step = .previous
            default: throw .invalid("step", "is neither next nor previous")
            }
            return try unsafe CommandRequest(
                wire.session_id,
                wire.if_revision,
                wire.request_id,
                .player(.skipChapter(step))
            )
        }
    }

    package init(selectAudio bytes: [UInt8]) throws(EngineError) {
        self = try unsafe decode(bytes, as: Engine__V1__SelectAudioRequest.self) { wire throws(EngineError) in
            let command = try unsafe Command.tracks(.selectAudio(AudioSelection(optional: wire.audio)))
            return try unsafe CommandRequest(wire.session_id, wire.if_revision, wire.request_id, command)
        }
    }

    package init(selectSubtitles bytes: [UInt8]) throws(EngineError) {
        self = try unsafe decode(bytes, as: Engine__V1__SelectSubtitlesRequest.self) { wire throws(EngineError) in
            let command = try unsafe Command.tracks(.selectSubtitles(SubtitleSelection(optional: wire.subtitles)))
            return try unsafe CommandRequest(wire.session_id, wire.if_revision, wire.request_id, command)
        }
    }
}

extension SeekCommand {
    init(wire: Engine__V1__SeekRequest) throws(EngineError) {
        let position = unsafe MediaTime.clamped(wire.position_us)
        let isRelative = unsafe wire.relative != 0
        switch unsafe wire.place {
        case ENGINE__V1__SEEK_PLACE__SEEK_PLACE_UNSPECIFIED:
            self.init(isRelative ? .relative(position) : .position(position))
        case ENGINE__V1__SEEK_PLACE__SEEK_PLACE_BEGIN: self.init(.begin)
        case ENGINE__V1__SEEK_PLACE__SEEK_PLACE_END: self.init(.end)
        default: throw unsafe .invalid("place", "\(wire.place.rawValue) is not a SeekPlace")
        }
        if unsafe wire.place != ENGINE__V1__SEEK_PLACE__SEEK_PLACE_UNSPECIFIED, isRelative || position != .zero {
            throw .invalid("place", "and a position exclude each other")
        }
        switch unsafe wire.mode {
        case ENGINE__V1__SEEK_MODE__SEEK_MODE_UNSPECIFIED, ENGINE__V1__SEEK_MODE__SEEK_MODE_EXACT: mode = .exact
        case ENGINE__V1__SEEK_MODE__SEEK_MODE_KEYFRAME: mode = .keyframe
        default: throw unsafe .invalid("mode", "\(wire.mode.rawValue) is not a SeekMode")
        }
        switch unsafe wire.after {
        case ENGINE__V1__AFTER_SEEK__AFTER_SEEK_UNSPECIFIED: thenPlay = nil
        case ENGINE__V1__AFTER_SEEK__AFTER_SEEK_PLAY: thenPlay = true
        case ENGINE__V1__AFTER_SEEK__AFTER_SEEK_PAUSE: thenPlay = false
        default: throw unsafe .invalid("after", "\(wire.after.rawValue) is not an AfterSeek")
        }
    }
}
