// SPDX-License-Identifier: Apache-2.0

internal import CEngineProto

// Maps each message to its generated initializer, one line each.

extension Engine__V1__LoadRequest: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__load_request__init(pointer) }
}

extension Engine__V1__LoadOptions: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__load_options__init(pointer) }
}

extension Engine__V1__LoadResponse: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__load_response__init(pointer) }
}

extension Engine__V1__SessionRequest: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__session_request__init(pointer) }
}

extension Engine__V1__SeekRequest: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__seek_request__init(pointer) }
}

extension Engine__V1__SetRateRequest: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__set_rate_request__init(pointer) }
}

extension Engine__V1__CommandResponse: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__command_response__init(pointer) }
}

extension Engine__V1__ListSessionsRequest: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) {
        unsafe engine__v1__list_sessions_request__init(pointer)
    }
}

extension Engine__V1__ListSessionsResponse: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) {
        unsafe engine__v1__list_sessions_response__init(pointer)
    }
}

extension Engine__V1__ProbeRequest: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__probe_request__init(pointer) }
}

extension Engine__V1__WatchRequest: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__watch_request__init(pointer) }
}

extension Engine__V1__WatchEvent: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__watch_event__init(pointer) }
}

extension Engine__V1__StateDelta: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__state_delta__init(pointer) }
}

extension Engine__V1__TimeEvent: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__time_event__init(pointer) }
}

extension Engine__V1__Gap: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__gap__init(pointer) }
}

extension Engine__V1__SessionClosed: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__session_closed__init(pointer) }
}

extension Engine__V1__SegmentChunk: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__segment_chunk__init(pointer) }
}

extension Engine__V1__SegmentReport: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__segment_report__init(pointer) }
}

extension Engine__V1__SegmentTrack: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__segment_track__init(pointer) }
}

extension Engine__V1__SessionState: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__session_state__init(pointer) }
}

extension Engine__V1__Position: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__position__init(pointer) }
}

extension Engine__V1__TimeRange: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__time_range__init(pointer) }
}

extension Engine__V1__Production: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__production__init(pointer) }
}

extension Engine__V1__Notice: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__notice__init(pointer) }
}

extension Engine__V1__ErrorInfo: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__error_info__init(pointer) }
}

extension Engine__V1__MediaDescription: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) {
        unsafe engine__v1__media_description__init(pointer)
    }
}

extension Engine__V1__MediaStream: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__media_stream__init(pointer) }
}

extension Engine__V1__VideoProperties: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__video_properties__init(pointer) }
}

extension Engine__V1__AudioProperties: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__audio_properties__init(pointer) }
}

extension Engine__V1__Chapter: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__chapter__init(pointer) }
}

extension Engine__V1__Tag: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__tag__init(pointer) }
}

extension Grpc__Health__V1__HealthCheckRequest: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) {
        unsafe grpc__health__v1__health_check_request__init(pointer)
    }
}

extension Grpc__Health__V1__HealthCheckResponse: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) {
        unsafe grpc__health__v1__health_check_response__init(pointer)
    }
}

extension Grpc__Reflection__V1__ServerReflectionRequest: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) {
        unsafe grpc__reflection__v1__server_reflection_request__init(pointer)
    }
}

extension Grpc__Reflection__V1__ServerReflectionResponse: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) {
        unsafe grpc__reflection__v1__server_reflection_response__init(pointer)
    }
}

extension Grpc__Reflection__V1__ExtensionRequest: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) {
        unsafe grpc__reflection__v1__extension_request__init(pointer)
    }
}

extension Grpc__Reflection__V1__FileDescriptorResponse: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) {
        unsafe grpc__reflection__v1__file_descriptor_response__init(pointer)
    }
}

extension Grpc__Reflection__V1__ListServiceResponse: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) {
        unsafe grpc__reflection__v1__list_service_response__init(pointer)
    }
}

extension Grpc__Reflection__V1__ServiceResponse: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) {
        unsafe grpc__reflection__v1__service_response__init(pointer)
    }
}

extension Grpc__Reflection__V1__ErrorResponse: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) {
        unsafe grpc__reflection__v1__error_response__init(pointer)
    }
}

extension Engine__V1__PlayerProfile: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__player_profile__init(pointer) }
}

extension Engine__V1__BitDepth: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__bit_depth__init(pointer) }
}

extension Engine__V1__AudioSelection: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__audio_selection__init(pointer) }
}

extension Engine__V1__LanguageList: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__language_list__init(pointer) }
}

extension Engine__V1__SelectAudioRequest: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) {
        unsafe engine__v1__select_audio_request__init(pointer)
    }
}

extension Engine__V1__Delivery: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__delivery__init(pointer) }
}

extension Engine__V1__MasteringDisplay: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) {
        unsafe engine__v1__mastering_display__init(pointer)
    }
}

extension Engine__V1__ContentLight: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__content_light__init(pointer) }
}

extension Engine__V1__DolbyVisionRecord: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) {
        unsafe engine__v1__dolby_vision_record__init(pointer)
    }
}

extension Engine__V1__SelectedAudio: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__selected_audio__init(pointer) }
}

extension Engine__V1__HttpHeader: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__http_header__init(pointer) }
}

extension Engine__V1__PhaseTimeout: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__phase_timeout__init(pointer) }
}

extension Engine__V1__RateRange: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__rate_range__init(pointer) }
}

extension Engine__V1__SetVolumeRequest: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) {
        unsafe engine__v1__set_volume_request__init(pointer)
    }
}

extension Engine__V1__SetMutedRequest: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) {
        unsafe engine__v1__set_muted_request__init(pointer)
    }
}

extension Engine__V1__SetLoopingRequest: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) {
        unsafe engine__v1__set_looping_request__init(pointer)
    }
}

extension Engine__V1__SkipChapterRequest: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) {
        unsafe engine__v1__skip_chapter_request__init(pointer)
    }
}

extension Engine__V1__EventBatch: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__event_batch__init(pointer) }
}

extension Engine__V1__SeekEvent: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__seek_event__init(pointer) }
}

extension Engine__V1__RenderRequest: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__render_request__init(pointer) }
}

extension Engine__V1__AttachRenderer: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__attach_renderer__init(pointer) }
}

extension Engine__V1__RendererReport: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__renderer_report__init(pointer) }
}

extension Engine__V1__RenderCommand: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__render_command__init(pointer) }
}

extension Engine__V1__RenderLoad: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__render_load__init(pointer) }
}

extension Engine__V1__RenderPlay: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__render_play__init(pointer) }
}

extension Engine__V1__RenderPause: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__render_pause__init(pointer) }
}

extension Engine__V1__RenderSeek: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__render_seek__init(pointer) }
}

extension Engine__V1__RenderStop: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__render_stop__init(pointer) }
}

extension Engine__V1__CurrentChapter: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__current_chapter__init(pointer) }
}

extension Engine__V1__Statistics: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__statistics__init(pointer) }
}

extension Engine__V1__Renderer: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__renderer__init(pointer) }
}

extension Engine__V1__StillSource: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__still_source__init(pointer) }
}

extension Engine__V1__StillStyle: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__still_style__init(pointer) }
}

extension Engine__V1__ThumbnailRequest: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) {
        unsafe engine__v1__thumbnail_request__init(pointer)
    }
}

extension Engine__V1__SnapshotRequest: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__snapshot_request__init(pointer) }
}

extension Engine__V1__Still: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__still__init(pointer) }
}

extension Engine__V1__PrewarmRequest: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__prewarm_request__init(pointer) }
}

extension Engine__V1__PrewarmResponse: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__prewarm_response__init(pointer) }
}

extension Engine__V1__ContactSheetRequest: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) {
        unsafe engine__v1__contact_sheet_request__init(pointer)
    }
}

extension Engine__V1__ContactSheetProgress: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) {
        unsafe engine__v1__contact_sheet_progress__init(pointer)
    }
}

extension Engine__V1__AttachFramesRequest: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) {
        unsafe engine__v1__attach_frames_request__init(pointer)
    }
}

extension Engine__V1__AttachAudioRequest: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) {
        unsafe engine__v1__attach_audio_request__init(pointer)
    }
}

extension Engine__V1__Attachment: ProtobufMessage {
    static func initialize(_ pointer: UnsafeMutablePointer<Self>) { unsafe engine__v1__attachment__init(pointer) }
}
