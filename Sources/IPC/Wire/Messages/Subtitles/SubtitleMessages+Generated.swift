// SPDX-License-Identifier: Apache-2.0

internal import CEngineProto

// Maps each message of subtitles.proto to its generated initializer, one line each.

extension Engine__V1__SubtitleTrack: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__subtitle_track__init(pointer) }
}

extension Engine__V1__SubtitleSelection: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) {
        unsafe engine__v1__subtitle_selection__init(pointer)
    }
}

extension Engine__V1__SubtitleTrackList: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) {
        unsafe engine__v1__subtitle_track_list__init(pointer)
    }
}

extension Engine__V1__Cue: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__cue__init(pointer) }
}

extension Engine__V1__CueText: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__cue_text__init(pointer) }
}

extension Engine__V1__TextRun: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__text_run__init(pointer) }
}

extension Engine__V1__CuePosition: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__cue_position__init(pointer) }
}

extension Engine__V1__CueImage: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__cue_image__init(pointer) }
}

extension Engine__V1__CueRange: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__cue_range__init(pointer) }
}

extension Engine__V1__GetCuesRequest: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__get_cues_request__init(pointer) }
}

extension Engine__V1__GetCuesResponse: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) {
        unsafe engine__v1__get_cues_response__init(pointer)
    }
}

extension Engine__V1__SelectSubtitlesRequest: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) {
        unsafe engine__v1__select_subtitles_request__init(pointer)
    }
}

extension Engine__V1__GetScriptRequest: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) {
        unsafe engine__v1__get_script_request__init(pointer)
    }
}

extension Engine__V1__GetAttachmentRequest: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) {
        unsafe engine__v1__get_attachment_request__init(pointer)
    }
}

extension Engine__V1__DataChunk: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__data_chunk__init(pointer) }
}

extension Engine__V1__CueEvent: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__cue_event__init(pointer) }
}
