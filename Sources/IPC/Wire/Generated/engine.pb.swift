// Generated from engine/v1/engine.proto by scripts/generate-proto. DO NOT EDIT!

internal import CEngineProto

extension Proto {
    struct FindSubtitles: ProtobufEnum {
        var rawValue: UInt32

        static let unspecified = Self(rawValue: 0)
        static let on = Self(rawValue: 1)
        static let off = Self(rawValue: 2)
    }
}

extension Engine__V1__FindSubtitles: ProtobufCEnum {}

extension Proto {
    struct Chase: ProtobufEnum {
        var rawValue: UInt32

        static let unspecified = Self(rawValue: 0)
        static let off = Self(rawValue: 1)
        static let skip = Self(rawValue: 2)
        static let speed = Self(rawValue: 3)
        static let precise = Self(rawValue: 4)
    }
}

extension Engine__V1__Chase: ProtobufCEnum {}

extension Proto {
    struct Resuming: ProtobufEnum {
        var rawValue: UInt32

        static let unspecified = Self(rawValue: 0)
        static let on = Self(rawValue: 1)
        static let off = Self(rawValue: 2)
    }
}

extension Engine__V1__Resuming: ProtobufCEnum {}

extension Proto {
    struct BridgeMode: ProtobufEnum {
        var rawValue: UInt32

        static let unspecified = Self(rawValue: 0)
        static let surround = Self(rawValue: 1)
        static let lossless = Self(rawValue: 2)
    }
}

extension Engine__V1__BridgeMode: ProtobufCEnum {}

extension Proto {
    struct VideoBridge: ProtobufEnum {
        var rawValue: UInt32

        static let unspecified = Self(rawValue: 0)
        static let never = Self(rawValue: 1)
        static let whenNeeded = Self(rawValue: 2)
        static let always = Self(rawValue: 3)
    }
}

extension Engine__V1__VideoBridge: ProtobufCEnum {}

extension Proto {
    struct SeekMode: ProtobufEnum {
        var rawValue: UInt32

        static let unspecified = Self(rawValue: 0)
        static let exact = Self(rawValue: 1)
        static let keyframe = Self(rawValue: 2)
    }
}

extension Engine__V1__SeekMode: ProtobufCEnum {}

extension Proto {
    struct AfterSeek: ProtobufEnum {
        var rawValue: UInt32

        static let unspecified = Self(rawValue: 0)
        static let play = Self(rawValue: 1)
        static let pause = Self(rawValue: 2)
    }
}

extension Engine__V1__AfterSeek: ProtobufCEnum {}

extension Proto {
    struct SeekPlace: ProtobufEnum {
        var rawValue: UInt32

        static let unspecified = Self(rawValue: 0)
        static let begin = Self(rawValue: 1)
        static let end = Self(rawValue: 2)
        static let live = Self(rawValue: 3)
    }
}

extension Engine__V1__SeekPlace: ProtobufCEnum {}

extension Proto {
    struct ChapterStep: ProtobufEnum {
        var rawValue: UInt32

        static let unspecified = Self(rawValue: 0)
        static let next = Self(rawValue: 1)
        static let previous = Self(rawValue: 2)
    }
}

extension Engine__V1__ChapterStep: ProtobufCEnum {}

extension Proto {
    struct SeekStage: ProtobufEnum {
        var rawValue: UInt32

        static let unspecified = Self(rawValue: 0)
        static let began = Self(rawValue: 1)
        static let landed = Self(rawValue: 2)
        static let stalled = Self(rawValue: 3)
        static let superseded = Self(rawValue: 4)
        static let rejected = Self(rawValue: 5)
    }
}

extension Engine__V1__SeekStage: ProtobufCEnum {}

extension Proto {
    struct RefreshSourceRequest: Equatable, Sendable {
        var sessionID: String = ""
        var ifRevision: UInt64 = 0
        var url: String = ""
        var httpHeaders: [Proto.HttpHeader] = []
        var requestID: String = ""
        var httpConnection: Proto.HttpConnectionOptions?
    }
}

extension Proto.RefreshSourceRequest: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__RefreshSourceRequest>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__refresh_source_request__init(pointer.assumingMemoryBound(to: Engine__V1__RefreshSourceRequest.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__RefreshSourceRequest.self)
        sessionID = unsafe readText(c.pointee.session_id)
        ifRevision = unsafe c.pointee.if_revision
        url = unsafe readText(c.pointee.url)
        httpHeaders = unsafe readMessages(c.pointee.http_headers, c.pointee.n_http_headers)
        requestID = unsafe readText(c.pointee.request_id)
        httpConnection = unsafe readMessage(c.pointee.http_connection)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__RefreshSourceRequest.self)
        unsafe c.pointee.session_id = arena.text(sessionID)
        unsafe c.pointee.if_revision = ifRevision
        unsafe c.pointee.url = arena.text(url)
        unsafe c.pointee.n_http_headers = httpHeaders.count
        unsafe c.pointee.http_headers = arena.messages(httpHeaders)
        unsafe c.pointee.request_id = arena.text(requestID)
        unsafe c.pointee.http_connection = arena.message(httpConnection)
    }
}

extension Proto.RefreshSourceRequest: CommandMessage {}

extension Proto {
    struct SelectProgramRequest: Equatable, Sendable {
        var sessionID: String = ""
        var ifRevision: UInt64 = 0
        var program: Proto.ProgramSelection?
        var requestID: String = ""
    }
}

extension Proto.SelectProgramRequest: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__SelectProgramRequest>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__select_program_request__init(pointer.assumingMemoryBound(to: Engine__V1__SelectProgramRequest.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__SelectProgramRequest.self)
        sessionID = unsafe readText(c.pointee.session_id)
        ifRevision = unsafe c.pointee.if_revision
        program = unsafe readMessage(c.pointee.program)
        requestID = unsafe readText(c.pointee.request_id)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__SelectProgramRequest.self)
        unsafe c.pointee.session_id = arena.text(sessionID)
        unsafe c.pointee.if_revision = ifRevision
        unsafe c.pointee.program = arena.message(program)
        unsafe c.pointee.request_id = arena.text(requestID)
    }
}

extension Proto.SelectProgramRequest: CommandMessage {}

extension Proto {
    struct StartRecordingRequest: Equatable, Sendable {
        var sessionID: String = ""
        var ifRevision: UInt64 = 0
        var requestID: String = ""
        var path: String = ""
        var start: Proto.RecordingStart?
    }
}

extension Proto.StartRecordingRequest: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__StartRecordingRequest>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__start_recording_request__init(pointer.assumingMemoryBound(to: Engine__V1__StartRecordingRequest.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__StartRecordingRequest.self)
        sessionID = unsafe readText(c.pointee.session_id)
        ifRevision = unsafe c.pointee.if_revision
        requestID = unsafe readText(c.pointee.request_id)
        path = unsafe readText(c.pointee.path)
        start = unsafe readMessage(c.pointee.start)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__StartRecordingRequest.self)
        unsafe c.pointee.session_id = arena.text(sessionID)
        unsafe c.pointee.if_revision = ifRevision
        unsafe c.pointee.request_id = arena.text(requestID)
        unsafe c.pointee.path = arena.text(path)
        unsafe c.pointee.start = arena.message(start)
    }
}

extension Proto.StartRecordingRequest: CommandMessage {}

extension Proto {
    struct RecordingStart: Equatable, Sendable {
        var positionMicroseconds: Int64 = 0
    }
}

extension Proto.RecordingStart: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__RecordingStart>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__recording_start__init(pointer.assumingMemoryBound(to: Engine__V1__RecordingStart.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__RecordingStart.self)
        positionMicroseconds = unsafe c.pointee.position_us
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__RecordingStart.self)
        unsafe c.pointee.position_us = positionMicroseconds
    }
}

extension Proto {
    struct LoadRequest: Equatable, Sendable {
        var source: String = ""
        var startPositionMicroseconds: Int64 = 0
        var options: Proto.LoadOptions?
        var sessionID: String = ""
        var httpHeaders: [Proto.HttpHeader] = []
        var requestID: String = ""
        var subtitleFiles: [Proto.SubtitleFile] = []
        var httpConnection: Proto.HttpConnectionOptions?
    }
}

extension Proto.LoadRequest: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__LoadRequest>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__load_request__init(pointer.assumingMemoryBound(to: Engine__V1__LoadRequest.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__LoadRequest.self)
        source = unsafe readText(c.pointee.source)
        startPositionMicroseconds = unsafe c.pointee.start_position_us
        options = unsafe readMessage(c.pointee.options)
        sessionID = unsafe readText(c.pointee.session_id)
        httpHeaders = unsafe readMessages(c.pointee.http_headers, c.pointee.n_http_headers)
        requestID = unsafe readText(c.pointee.request_id)
        subtitleFiles = unsafe readMessages(c.pointee.subtitle_files, c.pointee.n_subtitle_files)
        httpConnection = unsafe readMessage(c.pointee.http_connection)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__LoadRequest.self)
        unsafe c.pointee.source = arena.text(source)
        unsafe c.pointee.start_position_us = startPositionMicroseconds
        unsafe c.pointee.options = arena.message(options)
        unsafe c.pointee.session_id = arena.text(sessionID)
        unsafe c.pointee.n_http_headers = httpHeaders.count
        unsafe c.pointee.http_headers = arena.messages(httpHeaders)
        unsafe c.pointee.request_id = arena.text(requestID)
        unsafe c.pointee.n_subtitle_files = subtitleFiles.count
        unsafe c.pointee.subtitle_files = arena.messages(subtitleFiles)
        unsafe c.pointee.http_connection = arena.message(httpConnection)
    }
}

extension Proto {
    struct LoadOptions: Equatable, Sendable {
        var segmentTargetMicroseconds: Int64 = 0
        var autoplay: Bool = false
        var profile: String = ""
        var customProfile: Proto.PlayerProfile?
        var bridgeMode: Proto.BridgeMode = Proto.BridgeMode(rawValue: 0)
        var withoutDolbyVision: Bool = false
        var audio: Proto.AudioSelection?
        var timeouts: [Proto.PhaseTimeout] = []
        var rateRange: Proto.RateRange?
        var subtitles: Proto.SubtitleSelection?
        var preserveASS: Bool = false
        var deinterlacing: Proto.Deinterlacing = Proto.Deinterlacing(rawValue: 0)
        var findSubtitles: Proto.FindSubtitles = Proto.FindSubtitles(rawValue: 0)
        var resuming: Proto.Resuming = Proto.Resuming(rawValue: 0)
        var variants: Proto.VariantSelection?
        var program: Proto.ProgramSelection?
        var title: UInt32 = 0
        var angle: UInt32 = 0
        var dvrWindowMicroseconds: Int64 = 0
        var dvrBytes: Int64 = 0
        var chase: Proto.Chase = Proto.Chase(rawValue: 0)
        var videoBridge: Proto.VideoBridge = Proto.VideoBridge(rawValue: 0)
        var ladder: [UInt32] = []
        var burn: Proto.BurnedSubtitles?
        var drawSubtitles: Bool = false
        var lowLatency: Bool = false
        var sound: Proto.SoundTreatment?
    }
}

extension Proto.LoadOptions: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__LoadOptions>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__load_options__init(pointer.assumingMemoryBound(to: Engine__V1__LoadOptions.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__LoadOptions.self)
        segmentTargetMicroseconds = unsafe c.pointee.segment_target_us
        autoplay = unsafe c.pointee.autoplay != 0
        profile = unsafe readText(c.pointee.profile)
        customProfile = unsafe readMessage(c.pointee.custom_profile)
        bridgeMode = unsafe Proto.BridgeMode(rawValue: c.pointee.bridge_mode.rawValue)
        withoutDolbyVision = unsafe c.pointee.without_dolby_vision != 0
        audio = unsafe readMessage(c.pointee.audio)
        timeouts = unsafe readMessages(c.pointee.timeouts, c.pointee.n_timeouts)
        rateRange = unsafe readMessage(c.pointee.rate_range)
        subtitles = unsafe readMessage(c.pointee.subtitles)
        preserveASS = unsafe c.pointee.preserve_ass != 0
        deinterlacing = unsafe Proto.Deinterlacing(rawValue: c.pointee.deinterlacing.rawValue)
        findSubtitles = unsafe Proto.FindSubtitles(rawValue: c.pointee.find_subtitles.rawValue)
        resuming = unsafe Proto.Resuming(rawValue: c.pointee.resuming.rawValue)
        variants = unsafe readMessage(c.pointee.variants)
        program = unsafe readMessage(c.pointee.program)
        title = unsafe c.pointee.title
        angle = unsafe c.pointee.angle
        dvrWindowMicroseconds = unsafe c.pointee.dvr_window_us
        dvrBytes = unsafe c.pointee.dvr_bytes
        chase = unsafe Proto.Chase(rawValue: c.pointee.chase.rawValue)
        videoBridge = unsafe Proto.VideoBridge(rawValue: c.pointee.video_bridge.rawValue)
        ladder = unsafe readNumbers(c.pointee.ladder, c.pointee.n_ladder)
        burn = unsafe readMessage(c.pointee.burn)
        drawSubtitles = unsafe c.pointee.draw_subtitles != 0
        lowLatency = unsafe c.pointee.low_latency != 0
        sound = unsafe readMessage(c.pointee.sound)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__LoadOptions.self)
        unsafe c.pointee.segment_target_us = segmentTargetMicroseconds
        unsafe c.pointee.autoplay = autoplay ? 1 : 0
        unsafe c.pointee.profile = arena.text(profile)
        unsafe c.pointee.custom_profile = arena.message(customProfile)
        unsafe c.pointee.bridge_mode.rawValue = bridgeMode.rawValue
        unsafe c.pointee.without_dolby_vision = withoutDolbyVision ? 1 : 0
        unsafe c.pointee.audio = arena.message(audio)
        unsafe c.pointee.n_timeouts = timeouts.count
        unsafe c.pointee.timeouts = arena.messages(timeouts)
        unsafe c.pointee.rate_range = arena.message(rateRange)
        unsafe c.pointee.subtitles = arena.message(subtitles)
        unsafe c.pointee.preserve_ass = preserveASS ? 1 : 0
        unsafe c.pointee.deinterlacing.rawValue = deinterlacing.rawValue
        unsafe c.pointee.find_subtitles.rawValue = findSubtitles.rawValue
        unsafe c.pointee.resuming.rawValue = resuming.rawValue
        unsafe c.pointee.variants = arena.message(variants)
        unsafe c.pointee.program = arena.message(program)
        unsafe c.pointee.title = title
        unsafe c.pointee.angle = angle
        unsafe c.pointee.dvr_window_us = dvrWindowMicroseconds
        unsafe c.pointee.dvr_bytes = dvrBytes
        unsafe c.pointee.chase.rawValue = chase.rawValue
        unsafe c.pointee.video_bridge.rawValue = videoBridge.rawValue
        unsafe c.pointee.n_ladder = ladder.count
        unsafe c.pointee.ladder = arena.numbers(ladder)
        unsafe c.pointee.burn = arena.message(burn)
        unsafe c.pointee.draw_subtitles = drawSubtitles ? 1 : 0
        unsafe c.pointee.low_latency = lowLatency ? 1 : 0
        unsafe c.pointee.sound = arena.message(sound)
    }
}

extension Proto {
    struct SoundTreatment: Equatable, Sendable {
        var nightMode: Bool = false
        var dialogueDb: Double = 0
        var loudnessLufs: Double = 0
    }
}

extension Proto.SoundTreatment: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__SoundTreatment>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__sound_treatment__init(pointer.assumingMemoryBound(to: Engine__V1__SoundTreatment.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__SoundTreatment.self)
        nightMode = unsafe c.pointee.night_mode != 0
        dialogueDb = unsafe c.pointee.dialogue_db
        loudnessLufs = unsafe c.pointee.loudness_lufs
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__SoundTreatment.self)
        unsafe c.pointee.night_mode = nightMode ? 1 : 0
        unsafe c.pointee.dialogue_db = dialogueDb
        unsafe c.pointee.loudness_lufs = loudnessLufs
    }
}

extension Proto {
    struct BurnedSubtitles: Equatable, Sendable {
        enum Choice: Equatable, Sendable {
            case track(UInt32)
            case number(UInt32)
            case language(String)
        }

        var choice: Choice?
    }
}

extension Proto.BurnedSubtitles: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__BurnedSubtitles>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__burned_subtitles__init(pointer.assumingMemoryBound(to: Engine__V1__BurnedSubtitles.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__BurnedSubtitles.self)
        switch unsafe c.pointee.choice_case {
        case ENGINE__V1__BURNED_SUBTITLES__CHOICE_TRACK:
            choice = .track(unsafe c.pointee.track)
        case ENGINE__V1__BURNED_SUBTITLES__CHOICE_NUMBER:
            choice = .number(unsafe c.pointee.number)
        case ENGINE__V1__BURNED_SUBTITLES__CHOICE_LANGUAGE:
            choice = .language(unsafe readText(c.pointee.language))
        default: break
        }
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__BurnedSubtitles.self)
        switch choice {
        case .track(let value):
            unsafe c.pointee.choice_case = ENGINE__V1__BURNED_SUBTITLES__CHOICE_TRACK
            unsafe c.pointee.track = value
        case .number(let value):
            unsafe c.pointee.choice_case = ENGINE__V1__BURNED_SUBTITLES__CHOICE_NUMBER
            unsafe c.pointee.number = value
        case .language(let value):
            unsafe c.pointee.choice_case = ENGINE__V1__BURNED_SUBTITLES__CHOICE_LANGUAGE
            unsafe c.pointee.language = arena.text(value)
        case nil: break
        }
    }
}

extension Proto {
    struct VariantSelection: Equatable, Sendable {
        enum Wanted: Equatable, Sendable {
            case index(UInt32)
            case bandwidth(Int64)
            case name(String)
        }

        var maxHeight: UInt32 = 0
        var maxBandwidth: Int64 = 0
        var wanted: Wanted?
    }
}

extension Proto.VariantSelection: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__VariantSelection>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__variant_selection__init(pointer.assumingMemoryBound(to: Engine__V1__VariantSelection.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__VariantSelection.self)
        maxHeight = unsafe c.pointee.max_height
        maxBandwidth = unsafe c.pointee.max_bandwidth
        switch unsafe c.pointee.wanted_case {
        case ENGINE__V1__VARIANT_SELECTION__WANTED_INDEX:
            wanted = .index(unsafe c.pointee.index)
        case ENGINE__V1__VARIANT_SELECTION__WANTED_BANDWIDTH:
            wanted = .bandwidth(unsafe c.pointee.bandwidth)
        case ENGINE__V1__VARIANT_SELECTION__WANTED_NAME:
            wanted = .name(unsafe readText(c.pointee.name))
        default: break
        }
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__VariantSelection.self)
        unsafe c.pointee.max_height = maxHeight
        unsafe c.pointee.max_bandwidth = maxBandwidth
        switch wanted {
        case .index(let value):
            unsafe c.pointee.wanted_case = ENGINE__V1__VARIANT_SELECTION__WANTED_INDEX
            unsafe c.pointee.index = value
        case .bandwidth(let value):
            unsafe c.pointee.wanted_case = ENGINE__V1__VARIANT_SELECTION__WANTED_BANDWIDTH
            unsafe c.pointee.bandwidth = value
        case .name(let value):
            unsafe c.pointee.wanted_case = ENGINE__V1__VARIANT_SELECTION__WANTED_NAME
            unsafe c.pointee.name = arena.text(value)
        case nil: break
        }
    }
}

extension Proto {
    struct ListHistoryRequest: Equatable, Sendable {
    }
}

extension Proto.ListHistoryRequest: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__ListHistoryRequest>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__list_history_request__init(pointer.assumingMemoryBound(to: Engine__V1__ListHistoryRequest.self))
    }

    init(reading pointer: UnsafeRawPointer) {
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
    }
}

extension Proto {
    struct ListHistoryResponse: Equatable, Sendable {
        var entries: [Proto.HistoryEntry] = []
    }
}

extension Proto.ListHistoryResponse: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__ListHistoryResponse>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__list_history_response__init(pointer.assumingMemoryBound(to: Engine__V1__ListHistoryResponse.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__ListHistoryResponse.self)
        entries = unsafe readMessages(c.pointee.entries, c.pointee.n_entries)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__ListHistoryResponse.self)
        unsafe c.pointee.n_entries = entries.count
        unsafe c.pointee.entries = arena.messages(entries)
    }
}

extension Proto {
    struct HistoryEntry: Equatable, Sendable {
        var source: String = ""
        var positionMicroseconds: Int64 = 0
        var durationMicroseconds: Int64 = 0
        var finished: Bool = false
        var playedUnixMicroseconds: Int64 = 0
    }
}

extension Proto.HistoryEntry: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__HistoryEntry>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__history_entry__init(pointer.assumingMemoryBound(to: Engine__V1__HistoryEntry.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__HistoryEntry.self)
        source = unsafe readText(c.pointee.source)
        positionMicroseconds = unsafe c.pointee.position_us
        durationMicroseconds = unsafe c.pointee.duration_us
        finished = unsafe c.pointee.finished != 0
        playedUnixMicroseconds = unsafe c.pointee.played_unix_us
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__HistoryEntry.self)
        unsafe c.pointee.source = arena.text(source)
        unsafe c.pointee.position_us = positionMicroseconds
        unsafe c.pointee.duration_us = durationMicroseconds
        unsafe c.pointee.finished = finished ? 1 : 0
        unsafe c.pointee.played_unix_us = playedUnixMicroseconds
    }
}

extension Proto {
    struct ClearHistoryRequest: Equatable, Sendable {
        var source: String = ""
    }
}

extension Proto.ClearHistoryRequest: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__ClearHistoryRequest>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__clear_history_request__init(pointer.assumingMemoryBound(to: Engine__V1__ClearHistoryRequest.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__ClearHistoryRequest.self)
        source = unsafe readText(c.pointee.source)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__ClearHistoryRequest.self)
        unsafe c.pointee.source = arena.text(source)
    }
}

extension Proto {
    struct ClearHistoryResponse: Equatable, Sendable {
        var removed: UInt32 = 0
    }
}

extension Proto.ClearHistoryResponse: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__ClearHistoryResponse>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__clear_history_response__init(pointer.assumingMemoryBound(to: Engine__V1__ClearHistoryResponse.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__ClearHistoryResponse.self)
        removed = unsafe c.pointee.removed
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__ClearHistoryResponse.self)
        unsafe c.pointee.removed = removed
    }
}

extension Proto {
    struct GetSourceCacheRequest: Equatable, Sendable {
    }
}

extension Proto.GetSourceCacheRequest: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__GetSourceCacheRequest>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__get_source_cache_request__init(pointer.assumingMemoryBound(to: Engine__V1__GetSourceCacheRequest.self))
    }

    init(reading pointer: UnsafeRawPointer) {
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
    }
}

extension Proto {
    struct SourceCache: Equatable, Sendable {
        var memoryBytes: UInt64 = 0
        var memoryLimitBytes: UInt64 = 0
        var diskBytes: UInt64 = 0
        var diskLimitBytes: UInt64 = 0
        var directory: String = ""
        var problem: String = ""
        var sources: [Proto.CachedSource] = []
    }
}

extension Proto.SourceCache: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__SourceCache>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__source_cache__init(pointer.assumingMemoryBound(to: Engine__V1__SourceCache.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__SourceCache.self)
        memoryBytes = unsafe c.pointee.memory_bytes
        memoryLimitBytes = unsafe c.pointee.memory_limit_bytes
        diskBytes = unsafe c.pointee.disk_bytes
        diskLimitBytes = unsafe c.pointee.disk_limit_bytes
        directory = unsafe readText(c.pointee.directory)
        problem = unsafe readText(c.pointee.problem)
        sources = unsafe readMessages(c.pointee.sources, c.pointee.n_sources)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__SourceCache.self)
        unsafe c.pointee.memory_bytes = memoryBytes
        unsafe c.pointee.memory_limit_bytes = memoryLimitBytes
        unsafe c.pointee.disk_bytes = diskBytes
        unsafe c.pointee.disk_limit_bytes = diskLimitBytes
        unsafe c.pointee.directory = arena.text(directory)
        unsafe c.pointee.problem = arena.text(problem)
        unsafe c.pointee.n_sources = sources.count
        unsafe c.pointee.sources = arena.messages(sources)
    }
}

extension Proto {
    struct CachedSource: Equatable, Sendable {
        var url: String = ""
        var byteCount: UInt64 = 0
        var memoryBytes: UInt64 = 0
        var diskBytes: UInt64 = 0
        var lastUseUnixMicroseconds: Int64 = 0
        var inUse: Bool = false
    }
}

extension Proto.CachedSource: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__CachedSource>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__cached_source__init(pointer.assumingMemoryBound(to: Engine__V1__CachedSource.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__CachedSource.self)
        url = unsafe readText(c.pointee.url)
        byteCount = unsafe c.pointee.byte_count
        memoryBytes = unsafe c.pointee.memory_bytes
        diskBytes = unsafe c.pointee.disk_bytes
        lastUseUnixMicroseconds = unsafe c.pointee.last_use_unix_us
        inUse = unsafe c.pointee.in_use != 0
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__CachedSource.self)
        unsafe c.pointee.url = arena.text(url)
        unsafe c.pointee.byte_count = byteCount
        unsafe c.pointee.memory_bytes = memoryBytes
        unsafe c.pointee.disk_bytes = diskBytes
        unsafe c.pointee.last_use_unix_us = lastUseUnixMicroseconds
        unsafe c.pointee.in_use = inUse ? 1 : 0
    }
}

extension Proto {
    struct ClearSourceCacheRequest: Equatable, Sendable {
        var source: String = ""
    }
}

extension Proto.ClearSourceCacheRequest: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__ClearSourceCacheRequest>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__clear_source_cache_request__init(pointer.assumingMemoryBound(to: Engine__V1__ClearSourceCacheRequest.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__ClearSourceCacheRequest.self)
        source = unsafe readText(c.pointee.source)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__ClearSourceCacheRequest.self)
        unsafe c.pointee.source = arena.text(source)
    }
}

extension Proto {
    struct ClearSourceCacheResponse: Equatable, Sendable {
        var sources: UInt32 = 0
        var bytes: UInt64 = 0
    }
}

extension Proto.ClearSourceCacheResponse: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__ClearSourceCacheResponse>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__clear_source_cache_response__init(pointer.assumingMemoryBound(to: Engine__V1__ClearSourceCacheResponse.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__ClearSourceCacheResponse.self)
        sources = unsafe c.pointee.sources
        bytes = unsafe c.pointee.bytes
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__ClearSourceCacheResponse.self)
        unsafe c.pointee.sources = sources
        unsafe c.pointee.bytes = bytes
    }
}

extension Proto {
    struct PhaseTimeout: Equatable, Sendable {
        var phase: Proto.Phase = Proto.Phase(rawValue: 0)
        var timeoutMicroseconds: Int64 = 0
    }
}

extension Proto.PhaseTimeout: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__PhaseTimeout>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__phase_timeout__init(pointer.assumingMemoryBound(to: Engine__V1__PhaseTimeout.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__PhaseTimeout.self)
        phase = unsafe Proto.Phase(rawValue: c.pointee.phase.rawValue)
        timeoutMicroseconds = unsafe c.pointee.timeout_us
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__PhaseTimeout.self)
        unsafe c.pointee.phase.rawValue = phase.rawValue
        unsafe c.pointee.timeout_us = timeoutMicroseconds
    }
}

extension Proto {
    struct PlayerProfile: Equatable, Sendable {
        var formats: [String] = []
        var dolbyVision: [String] = []
        var bitDepths: [Proto.BitDepth] = []
        var fullChroma: Bool = false
        var progressiveOnly: Bool = false
        var maxChannels: UInt32 = 0
        var stereoBridges: [String] = []
        var surroundBridges: [String] = []
    }
}

extension Proto.PlayerProfile: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__PlayerProfile>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__player_profile__init(pointer.assumingMemoryBound(to: Engine__V1__PlayerProfile.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__PlayerProfile.self)
        formats = unsafe readTexts(c.pointee.formats, c.pointee.n_formats)
        dolbyVision = unsafe readTexts(c.pointee.dolby_vision, c.pointee.n_dolby_vision)
        bitDepths = unsafe readMessages(c.pointee.bit_depths, c.pointee.n_bit_depths)
        fullChroma = unsafe c.pointee.full_chroma != 0
        progressiveOnly = unsafe c.pointee.progressive_only != 0
        maxChannels = unsafe c.pointee.max_channels
        stereoBridges = unsafe readTexts(c.pointee.stereo_bridges, c.pointee.n_stereo_bridges)
        surroundBridges = unsafe readTexts(c.pointee.surround_bridges, c.pointee.n_surround_bridges)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__PlayerProfile.self)
        unsafe c.pointee.n_formats = formats.count
        unsafe c.pointee.formats = arena.texts(formats)
        unsafe c.pointee.n_dolby_vision = dolbyVision.count
        unsafe c.pointee.dolby_vision = arena.texts(dolbyVision)
        unsafe c.pointee.n_bit_depths = bitDepths.count
        unsafe c.pointee.bit_depths = arena.messages(bitDepths)
        unsafe c.pointee.full_chroma = fullChroma ? 1 : 0
        unsafe c.pointee.progressive_only = progressiveOnly ? 1 : 0
        unsafe c.pointee.max_channels = maxChannels
        unsafe c.pointee.n_stereo_bridges = stereoBridges.count
        unsafe c.pointee.stereo_bridges = arena.texts(stereoBridges)
        unsafe c.pointee.n_surround_bridges = surroundBridges.count
        unsafe c.pointee.surround_bridges = arena.texts(surroundBridges)
    }
}

extension Proto {
    struct BitDepth: Equatable, Sendable {
        var format: String = ""
        var bits: UInt32 = 0
    }
}

extension Proto.BitDepth: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__BitDepth>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__bit_depth__init(pointer.assumingMemoryBound(to: Engine__V1__BitDepth.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__BitDepth.self)
        format = unsafe readText(c.pointee.format)
        bits = unsafe c.pointee.bits
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__BitDepth.self)
        unsafe c.pointee.format = arena.text(format)
        unsafe c.pointee.bits = bits
    }
}

extension Proto {
    struct AudioSelection: Equatable, Sendable {
        indirect enum Wanted: Equatable, Sendable {
            case streamIndex(UInt32)
            case languages(Proto.LanguageList)
        }

        var wanted: Wanted?
    }
}

extension Proto.AudioSelection: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__AudioSelection>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__audio_selection__init(pointer.assumingMemoryBound(to: Engine__V1__AudioSelection.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__AudioSelection.self)
        switch unsafe c.pointee.wanted_case {
        case ENGINE__V1__AUDIO_SELECTION__WANTED_STREAM_INDEX:
            wanted = .streamIndex(unsafe c.pointee.stream_index)
        case ENGINE__V1__AUDIO_SELECTION__WANTED_LANGUAGES:
            wanted = unsafe readMessage(c.pointee.languages).map(Wanted.languages)
        default: break
        }
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__AudioSelection.self)
        switch wanted {
        case .streamIndex(let value):
            unsafe c.pointee.wanted_case = ENGINE__V1__AUDIO_SELECTION__WANTED_STREAM_INDEX
            unsafe c.pointee.stream_index = value
        case .languages(let value):
            unsafe c.pointee.wanted_case = ENGINE__V1__AUDIO_SELECTION__WANTED_LANGUAGES
            unsafe c.pointee.languages = arena.message(value)
        case nil: break
        }
    }
}

extension Proto {
    struct LanguageList: Equatable, Sendable {
        var languages: [String] = []
    }
}

extension Proto.LanguageList: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__LanguageList>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__language_list__init(pointer.assumingMemoryBound(to: Engine__V1__LanguageList.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__LanguageList.self)
        languages = unsafe readTexts(c.pointee.languages, c.pointee.n_languages)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__LanguageList.self)
        unsafe c.pointee.n_languages = languages.count
        unsafe c.pointee.languages = arena.texts(languages)
    }
}

extension Proto {
    struct SubtitleSelection: Equatable, Sendable {
        indirect enum Wanted: Equatable, Sendable {
            case tracks(Proto.SubtitleTrackList)
            case languages(Proto.LanguageList)
        }

        var wanted: Wanted?
    }
}

extension Proto.SubtitleSelection: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__SubtitleSelection>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__subtitle_selection__init(pointer.assumingMemoryBound(to: Engine__V1__SubtitleSelection.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__SubtitleSelection.self)
        switch unsafe c.pointee.wanted_case {
        case ENGINE__V1__SUBTITLE_SELECTION__WANTED_TRACKS:
            wanted = unsafe readMessage(c.pointee.tracks).map(Wanted.tracks)
        case ENGINE__V1__SUBTITLE_SELECTION__WANTED_LANGUAGES:
            wanted = unsafe readMessage(c.pointee.languages).map(Wanted.languages)
        default: break
        }
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__SubtitleSelection.self)
        switch wanted {
        case .tracks(let value):
            unsafe c.pointee.wanted_case = ENGINE__V1__SUBTITLE_SELECTION__WANTED_TRACKS
            unsafe c.pointee.tracks = arena.message(value)
        case .languages(let value):
            unsafe c.pointee.wanted_case = ENGINE__V1__SUBTITLE_SELECTION__WANTED_LANGUAGES
            unsafe c.pointee.languages = arena.message(value)
        case nil: break
        }
    }
}

extension Proto {
    struct SubtitleTrackList: Equatable, Sendable {
        var ids: [UInt32] = []
    }
}

extension Proto.SubtitleTrackList: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__SubtitleTrackList>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__subtitle_track_list__init(pointer.assumingMemoryBound(to: Engine__V1__SubtitleTrackList.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__SubtitleTrackList.self)
        ids = unsafe readNumbers(c.pointee.ids, c.pointee.n_ids)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__SubtitleTrackList.self)
        unsafe c.pointee.n_ids = ids.count
        unsafe c.pointee.ids = arena.numbers(ids)
    }
}

extension Proto {
    struct LoadResponse: Equatable, Sendable {
        var sessionID: String = ""
        var url: String = ""
        var state: Proto.SessionState?
    }
}

extension Proto.LoadResponse: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__LoadResponse>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__load_response__init(pointer.assumingMemoryBound(to: Engine__V1__LoadResponse.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__LoadResponse.self)
        sessionID = unsafe readText(c.pointee.session_id)
        url = unsafe readText(c.pointee.url)
        state = unsafe readMessage(c.pointee.state)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__LoadResponse.self)
        unsafe c.pointee.session_id = arena.text(sessionID)
        unsafe c.pointee.url = arena.text(url)
        unsafe c.pointee.state = arena.message(state)
    }
}

extension Proto {
    struct SessionRequest: Equatable, Sendable {
        var sessionID: String = ""
        var ifRevision: UInt64 = 0
        var requestID: String = ""
    }
}

extension Proto.SessionRequest: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__SessionRequest>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__session_request__init(pointer.assumingMemoryBound(to: Engine__V1__SessionRequest.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__SessionRequest.self)
        sessionID = unsafe readText(c.pointee.session_id)
        ifRevision = unsafe c.pointee.if_revision
        requestID = unsafe readText(c.pointee.request_id)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__SessionRequest.self)
        unsafe c.pointee.session_id = arena.text(sessionID)
        unsafe c.pointee.if_revision = ifRevision
        unsafe c.pointee.request_id = arena.text(requestID)
    }
}

extension Proto.SessionRequest: CommandMessage {}

extension Proto {
    struct SeekRequest: Equatable, Sendable {
        var sessionID: String = ""
        var ifRevision: UInt64 = 0
        var positionMicroseconds: Int64 = 0
        var relative: Bool = false
        var requestID: String = ""
        var mode: Proto.SeekMode = Proto.SeekMode(rawValue: 0)
        var after: Proto.AfterSeek = Proto.AfterSeek(rawValue: 0)
        var place: Proto.SeekPlace = Proto.SeekPlace(rawValue: 0)
    }
}

extension Proto.SeekRequest: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__SeekRequest>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__seek_request__init(pointer.assumingMemoryBound(to: Engine__V1__SeekRequest.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__SeekRequest.self)
        sessionID = unsafe readText(c.pointee.session_id)
        ifRevision = unsafe c.pointee.if_revision
        positionMicroseconds = unsafe c.pointee.position_us
        relative = unsafe c.pointee.relative != 0
        requestID = unsafe readText(c.pointee.request_id)
        mode = unsafe Proto.SeekMode(rawValue: c.pointee.mode.rawValue)
        after = unsafe Proto.AfterSeek(rawValue: c.pointee.after.rawValue)
        place = unsafe Proto.SeekPlace(rawValue: c.pointee.place.rawValue)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__SeekRequest.self)
        unsafe c.pointee.session_id = arena.text(sessionID)
        unsafe c.pointee.if_revision = ifRevision
        unsafe c.pointee.position_us = positionMicroseconds
        unsafe c.pointee.relative = relative ? 1 : 0
        unsafe c.pointee.request_id = arena.text(requestID)
        unsafe c.pointee.mode.rawValue = mode.rawValue
        unsafe c.pointee.after.rawValue = after.rawValue
        unsafe c.pointee.place.rawValue = place.rawValue
    }
}

extension Proto.SeekRequest: CommandMessage {}

extension Proto {
    struct SetRateRequest: Equatable, Sendable {
        var sessionID: String = ""
        var ifRevision: UInt64 = 0
        var rate: Double = 0
        var requestID: String = ""
    }
}

extension Proto.SetRateRequest: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__SetRateRequest>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__set_rate_request__init(pointer.assumingMemoryBound(to: Engine__V1__SetRateRequest.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__SetRateRequest.self)
        sessionID = unsafe readText(c.pointee.session_id)
        ifRevision = unsafe c.pointee.if_revision
        rate = unsafe c.pointee.rate
        requestID = unsafe readText(c.pointee.request_id)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__SetRateRequest.self)
        unsafe c.pointee.session_id = arena.text(sessionID)
        unsafe c.pointee.if_revision = ifRevision
        unsafe c.pointee.rate = rate
        unsafe c.pointee.request_id = arena.text(requestID)
    }
}

extension Proto.SetRateRequest: CommandMessage {}

extension Proto {
    struct SetVolumeRequest: Equatable, Sendable {
        var sessionID: String = ""
        var ifRevision: UInt64 = 0
        var volume: Double = 0
        var requestID: String = ""
    }
}

extension Proto.SetVolumeRequest: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__SetVolumeRequest>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__set_volume_request__init(pointer.assumingMemoryBound(to: Engine__V1__SetVolumeRequest.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__SetVolumeRequest.self)
        sessionID = unsafe readText(c.pointee.session_id)
        ifRevision = unsafe c.pointee.if_revision
        volume = unsafe c.pointee.volume
        requestID = unsafe readText(c.pointee.request_id)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__SetVolumeRequest.self)
        unsafe c.pointee.session_id = arena.text(sessionID)
        unsafe c.pointee.if_revision = ifRevision
        unsafe c.pointee.volume = volume
        unsafe c.pointee.request_id = arena.text(requestID)
    }
}

extension Proto.SetVolumeRequest: CommandMessage {}

extension Proto {
    struct SetMutedRequest: Equatable, Sendable {
        var sessionID: String = ""
        var ifRevision: UInt64 = 0
        var muted: Bool = false
        var requestID: String = ""
    }
}

extension Proto.SetMutedRequest: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__SetMutedRequest>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__set_muted_request__init(pointer.assumingMemoryBound(to: Engine__V1__SetMutedRequest.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__SetMutedRequest.self)
        sessionID = unsafe readText(c.pointee.session_id)
        ifRevision = unsafe c.pointee.if_revision
        muted = unsafe c.pointee.muted != 0
        requestID = unsafe readText(c.pointee.request_id)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__SetMutedRequest.self)
        unsafe c.pointee.session_id = arena.text(sessionID)
        unsafe c.pointee.if_revision = ifRevision
        unsafe c.pointee.muted = muted ? 1 : 0
        unsafe c.pointee.request_id = arena.text(requestID)
    }
}

extension Proto.SetMutedRequest: CommandMessage {}

extension Proto {
    struct SetLoopingRequest: Equatable, Sendable {
        var sessionID: String = ""
        var ifRevision: UInt64 = 0
        var looping: Bool = false
        var requestID: String = ""
    }
}

extension Proto.SetLoopingRequest: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__SetLoopingRequest>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__set_looping_request__init(pointer.assumingMemoryBound(to: Engine__V1__SetLoopingRequest.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__SetLoopingRequest.self)
        sessionID = unsafe readText(c.pointee.session_id)
        ifRevision = unsafe c.pointee.if_revision
        looping = unsafe c.pointee.looping != 0
        requestID = unsafe readText(c.pointee.request_id)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__SetLoopingRequest.self)
        unsafe c.pointee.session_id = arena.text(sessionID)
        unsafe c.pointee.if_revision = ifRevision
        unsafe c.pointee.looping = looping ? 1 : 0
        unsafe c.pointee.request_id = arena.text(requestID)
    }
}

extension Proto.SetLoopingRequest: CommandMessage {}

extension Proto {
    struct SetLoopPointsRequest: Equatable, Sendable {
        var sessionID: String = ""
        var ifRevision: UInt64 = 0
        var loopPoints: Proto.LoopPoints?
        var requestID: String = ""
    }
}

extension Proto.SetLoopPointsRequest: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__SetLoopPointsRequest>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__set_loop_points_request__init(pointer.assumingMemoryBound(to: Engine__V1__SetLoopPointsRequest.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__SetLoopPointsRequest.self)
        sessionID = unsafe readText(c.pointee.session_id)
        ifRevision = unsafe c.pointee.if_revision
        loopPoints = unsafe readMessage(c.pointee.loop_points)
        requestID = unsafe readText(c.pointee.request_id)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__SetLoopPointsRequest.self)
        unsafe c.pointee.session_id = arena.text(sessionID)
        unsafe c.pointee.if_revision = ifRevision
        unsafe c.pointee.loop_points = arena.message(loopPoints)
        unsafe c.pointee.request_id = arena.text(requestID)
    }
}

extension Proto.SetLoopPointsRequest: CommandMessage {}

extension Proto {
    struct StepFrameRequest: Equatable, Sendable {
        var sessionID: String = ""
        var ifRevision: UInt64 = 0
        var frames: Int32 = 0
        var requestID: String = ""
    }
}

extension Proto.StepFrameRequest: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__StepFrameRequest>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__step_frame_request__init(pointer.assumingMemoryBound(to: Engine__V1__StepFrameRequest.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__StepFrameRequest.self)
        sessionID = unsafe readText(c.pointee.session_id)
        ifRevision = unsafe c.pointee.if_revision
        frames = unsafe c.pointee.frames
        requestID = unsafe readText(c.pointee.request_id)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__StepFrameRequest.self)
        unsafe c.pointee.session_id = arena.text(sessionID)
        unsafe c.pointee.if_revision = ifRevision
        unsafe c.pointee.frames = frames
        unsafe c.pointee.request_id = arena.text(requestID)
    }
}

extension Proto.StepFrameRequest: CommandMessage {}

extension Proto {
    struct SetAudioDelayRequest: Equatable, Sendable {
        var sessionID: String = ""
        var ifRevision: UInt64 = 0
        var delayMicroseconds: Int64 = 0
        var requestID: String = ""
    }
}

extension Proto.SetAudioDelayRequest: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__SetAudioDelayRequest>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__set_audio_delay_request__init(pointer.assumingMemoryBound(to: Engine__V1__SetAudioDelayRequest.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__SetAudioDelayRequest.self)
        sessionID = unsafe readText(c.pointee.session_id)
        ifRevision = unsafe c.pointee.if_revision
        delayMicroseconds = unsafe c.pointee.delay_us
        requestID = unsafe readText(c.pointee.request_id)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__SetAudioDelayRequest.self)
        unsafe c.pointee.session_id = arena.text(sessionID)
        unsafe c.pointee.if_revision = ifRevision
        unsafe c.pointee.delay_us = delayMicroseconds
        unsafe c.pointee.request_id = arena.text(requestID)
    }
}

extension Proto.SetAudioDelayRequest: CommandMessage {}

extension Proto {
    struct SetSubtitleDelayRequest: Equatable, Sendable {
        var sessionID: String = ""
        var ifRevision: UInt64 = 0
        var delayMicroseconds: Int64 = 0
        var requestID: String = ""
    }
}

extension Proto.SetSubtitleDelayRequest: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__SetSubtitleDelayRequest>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__set_subtitle_delay_request__init(pointer.assumingMemoryBound(to: Engine__V1__SetSubtitleDelayRequest.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__SetSubtitleDelayRequest.self)
        sessionID = unsafe readText(c.pointee.session_id)
        ifRevision = unsafe c.pointee.if_revision
        delayMicroseconds = unsafe c.pointee.delay_us
        requestID = unsafe readText(c.pointee.request_id)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__SetSubtitleDelayRequest.self)
        unsafe c.pointee.session_id = arena.text(sessionID)
        unsafe c.pointee.if_revision = ifRevision
        unsafe c.pointee.delay_us = delayMicroseconds
        unsafe c.pointee.request_id = arena.text(requestID)
    }
}

extension Proto.SetSubtitleDelayRequest: CommandMessage {}

extension Proto {
    struct SkipChapterRequest: Equatable, Sendable {
        var sessionID: String = ""
        var ifRevision: UInt64 = 0
        var step: Proto.ChapterStep = Proto.ChapterStep(rawValue: 0)
        var requestID: String = ""
    }
}

extension Proto.SkipChapterRequest: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__SkipChapterRequest>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__skip_chapter_request__init(pointer.assumingMemoryBound(to: Engine__V1__SkipChapterRequest.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__SkipChapterRequest.self)
        sessionID = unsafe readText(c.pointee.session_id)
        ifRevision = unsafe c.pointee.if_revision
        step = unsafe Proto.ChapterStep(rawValue: c.pointee.step.rawValue)
        requestID = unsafe readText(c.pointee.request_id)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__SkipChapterRequest.self)
        unsafe c.pointee.session_id = arena.text(sessionID)
        unsafe c.pointee.if_revision = ifRevision
        unsafe c.pointee.step.rawValue = step.rawValue
        unsafe c.pointee.request_id = arena.text(requestID)
    }
}

extension Proto.SkipChapterRequest: CommandMessage {}

extension Proto {
    struct SelectAudioRequest: Equatable, Sendable {
        var sessionID: String = ""
        var ifRevision: UInt64 = 0
        var audio: Proto.AudioSelection?
        var requestID: String = ""
    }
}

extension Proto.SelectAudioRequest: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__SelectAudioRequest>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__select_audio_request__init(pointer.assumingMemoryBound(to: Engine__V1__SelectAudioRequest.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__SelectAudioRequest.self)
        sessionID = unsafe readText(c.pointee.session_id)
        ifRevision = unsafe c.pointee.if_revision
        audio = unsafe readMessage(c.pointee.audio)
        requestID = unsafe readText(c.pointee.request_id)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__SelectAudioRequest.self)
        unsafe c.pointee.session_id = arena.text(sessionID)
        unsafe c.pointee.if_revision = ifRevision
        unsafe c.pointee.audio = arena.message(audio)
        unsafe c.pointee.request_id = arena.text(requestID)
    }
}

extension Proto.SelectAudioRequest: CommandMessage {}

extension Proto {
    struct SelectSubtitlesRequest: Equatable, Sendable {
        var sessionID: String = ""
        var ifRevision: UInt64 = 0
        var subtitles: Proto.SubtitleSelection?
        var requestID: String = ""
    }
}

extension Proto.SelectSubtitlesRequest: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__SelectSubtitlesRequest>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__select_subtitles_request__init(pointer.assumingMemoryBound(to: Engine__V1__SelectSubtitlesRequest.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__SelectSubtitlesRequest.self)
        sessionID = unsafe readText(c.pointee.session_id)
        ifRevision = unsafe c.pointee.if_revision
        subtitles = unsafe readMessage(c.pointee.subtitles)
        requestID = unsafe readText(c.pointee.request_id)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__SelectSubtitlesRequest.self)
        unsafe c.pointee.session_id = arena.text(sessionID)
        unsafe c.pointee.if_revision = ifRevision
        unsafe c.pointee.subtitles = arena.message(subtitles)
        unsafe c.pointee.request_id = arena.text(requestID)
    }
}

extension Proto.SelectSubtitlesRequest: CommandMessage {}

extension Proto {
    struct CommandResponse: Equatable, Sendable {
        var sessionID: String = ""
        var revision: UInt64 = 0
        var state: Proto.SessionState?
        var clamped: Bool = false
        var seekID: UInt64 = 0
        var addedSubtitles: [UInt32] = []
        var addedFilter: UInt32 = 0
    }
}

extension Proto.CommandResponse: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__CommandResponse>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__command_response__init(pointer.assumingMemoryBound(to: Engine__V1__CommandResponse.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__CommandResponse.self)
        sessionID = unsafe readText(c.pointee.session_id)
        revision = unsafe c.pointee.revision
        state = unsafe readMessage(c.pointee.state)
        clamped = unsafe c.pointee.clamped != 0
        seekID = unsafe c.pointee.seek_id
        addedSubtitles = unsafe readNumbers(c.pointee.added_subtitles, c.pointee.n_added_subtitles)
        addedFilter = unsafe c.pointee.added_filter
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__CommandResponse.self)
        unsafe c.pointee.session_id = arena.text(sessionID)
        unsafe c.pointee.revision = revision
        unsafe c.pointee.state = arena.message(state)
        unsafe c.pointee.clamped = clamped ? 1 : 0
        unsafe c.pointee.seek_id = seekID
        unsafe c.pointee.n_added_subtitles = addedSubtitles.count
        unsafe c.pointee.added_subtitles = arena.numbers(addedSubtitles)
        unsafe c.pointee.added_filter = addedFilter
    }
}

extension Proto {
    struct ListSessionsRequest: Equatable, Sendable {
    }
}

extension Proto.ListSessionsRequest: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__ListSessionsRequest>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__list_sessions_request__init(pointer.assumingMemoryBound(to: Engine__V1__ListSessionsRequest.self))
    }

    init(reading pointer: UnsafeRawPointer) {
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
    }
}

extension Proto {
    struct ListSessionsResponse: Equatable, Sendable {
        var sessions: [Proto.SessionState] = []
        var defaultSessionID: String = ""
    }
}

extension Proto.ListSessionsResponse: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__ListSessionsResponse>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__list_sessions_response__init(pointer.assumingMemoryBound(to: Engine__V1__ListSessionsResponse.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__ListSessionsResponse.self)
        sessions = unsafe readMessages(c.pointee.sessions, c.pointee.n_sessions)
        defaultSessionID = unsafe readText(c.pointee.default_session_id)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__ListSessionsResponse.self)
        unsafe c.pointee.n_sessions = sessions.count
        unsafe c.pointee.sessions = arena.messages(sessions)
        unsafe c.pointee.default_session_id = arena.text(defaultSessionID)
    }
}

extension Proto {
    struct ProbeRequest: Equatable, Sendable {
        var source: String = ""
        var options: Proto.LoadOptions?
        var httpHeaders: [Proto.HttpHeader] = []
        var httpConnection: Proto.HttpConnectionOptions?
    }
}

extension Proto.ProbeRequest: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__ProbeRequest>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__probe_request__init(pointer.assumingMemoryBound(to: Engine__V1__ProbeRequest.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__ProbeRequest.self)
        source = unsafe readText(c.pointee.source)
        options = unsafe readMessage(c.pointee.options)
        httpHeaders = unsafe readMessages(c.pointee.http_headers, c.pointee.n_http_headers)
        httpConnection = unsafe readMessage(c.pointee.http_connection)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__ProbeRequest.self)
        unsafe c.pointee.source = arena.text(source)
        unsafe c.pointee.options = arena.message(options)
        unsafe c.pointee.n_http_headers = httpHeaders.count
        unsafe c.pointee.http_headers = arena.messages(httpHeaders)
        unsafe c.pointee.http_connection = arena.message(httpConnection)
    }
}

extension Proto {
    struct WatchRequest: Equatable, Sendable {
        var sessionID: String = ""
        var allSessions: Bool = false
        var timeIntervalMicroseconds: Int64 = 0
        var fields: [Proto.StateField] = []
        var batchIntervalMicroseconds: Int64 = 0
        var withoutCues: Bool = false
        var cueLeadMicroseconds: Int64 = 0
    }
}

extension Proto.WatchRequest: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__WatchRequest>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__watch_request__init(pointer.assumingMemoryBound(to: Engine__V1__WatchRequest.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__WatchRequest.self)
        sessionID = unsafe readText(c.pointee.session_id)
        allSessions = unsafe c.pointee.all_sessions != 0
        timeIntervalMicroseconds = unsafe c.pointee.time_interval_us
        fields = unsafe readChoices(c.pointee.fields, c.pointee.n_fields)
        batchIntervalMicroseconds = unsafe c.pointee.batch_interval_us
        withoutCues = unsafe c.pointee.without_cues != 0
        cueLeadMicroseconds = unsafe c.pointee.cue_lead_us
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__WatchRequest.self)
        unsafe c.pointee.session_id = arena.text(sessionID)
        unsafe c.pointee.all_sessions = allSessions ? 1 : 0
        unsafe c.pointee.time_interval_us = timeIntervalMicroseconds
        unsafe c.pointee.n_fields = fields.count
        unsafe c.pointee.fields = arena.choices(fields)
        unsafe c.pointee.batch_interval_us = batchIntervalMicroseconds
        unsafe c.pointee.without_cues = withoutCues ? 1 : 0
        unsafe c.pointee.cue_lead_us = cueLeadMicroseconds
    }
}

extension Proto {
    struct WatchEvent: Equatable, Sendable {
        indirect enum Event: Equatable, Sendable {
            case snapshot(Proto.SessionState)
            case delta(Proto.StateDelta)
            case time(Proto.TimeEvent)
            case notice(Proto.Notice)
            case gap(Proto.Gap)
            case closed(Proto.SessionClosed)
            case seek(Proto.SeekEvent)
            case batch(Proto.EventBatch)
            case cue(Proto.CueEvent)
        }

        var sessionID: String = ""
        var revision: UInt64 = 0
        var event: Event?
    }
}

extension Proto.WatchEvent: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__WatchEvent>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__watch_event__init(pointer.assumingMemoryBound(to: Engine__V1__WatchEvent.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__WatchEvent.self)
        sessionID = unsafe readText(c.pointee.session_id)
        revision = unsafe c.pointee.revision
        switch unsafe c.pointee.event_case {
        case ENGINE__V1__WATCH_EVENT__EVENT_SNAPSHOT:
            event = unsafe readMessage(c.pointee.snapshot).map(Event.snapshot)
        case ENGINE__V1__WATCH_EVENT__EVENT_DELTA:
            event = unsafe readMessage(c.pointee.delta).map(Event.delta)
        case ENGINE__V1__WATCH_EVENT__EVENT_TIME:
            event = unsafe readMessage(c.pointee.time).map(Event.time)
        case ENGINE__V1__WATCH_EVENT__EVENT_NOTICE:
            event = unsafe readMessage(c.pointee.notice).map(Event.notice)
        case ENGINE__V1__WATCH_EVENT__EVENT_GAP:
            event = unsafe readMessage(c.pointee.gap).map(Event.gap)
        case ENGINE__V1__WATCH_EVENT__EVENT_CLOSED:
            event = unsafe readMessage(c.pointee.closed).map(Event.closed)
        case ENGINE__V1__WATCH_EVENT__EVENT_SEEK:
            event = unsafe readMessage(c.pointee.seek).map(Event.seek)
        case ENGINE__V1__WATCH_EVENT__EVENT_BATCH:
            event = unsafe readMessage(c.pointee.batch).map(Event.batch)
        case ENGINE__V1__WATCH_EVENT__EVENT_CUE:
            event = unsafe readMessage(c.pointee.cue).map(Event.cue)
        default: break
        }
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__WatchEvent.self)
        unsafe c.pointee.session_id = arena.text(sessionID)
        unsafe c.pointee.revision = revision
        switch event {
        case .snapshot(let value):
            unsafe c.pointee.event_case = ENGINE__V1__WATCH_EVENT__EVENT_SNAPSHOT
            unsafe c.pointee.snapshot = arena.message(value)
        case .delta(let value):
            unsafe c.pointee.event_case = ENGINE__V1__WATCH_EVENT__EVENT_DELTA
            unsafe c.pointee.delta = arena.message(value)
        case .time(let value):
            unsafe c.pointee.event_case = ENGINE__V1__WATCH_EVENT__EVENT_TIME
            unsafe c.pointee.time = arena.message(value)
        case .notice(let value):
            unsafe c.pointee.event_case = ENGINE__V1__WATCH_EVENT__EVENT_NOTICE
            unsafe c.pointee.notice = arena.message(value)
        case .gap(let value):
            unsafe c.pointee.event_case = ENGINE__V1__WATCH_EVENT__EVENT_GAP
            unsafe c.pointee.gap = arena.message(value)
        case .closed(let value):
            unsafe c.pointee.event_case = ENGINE__V1__WATCH_EVENT__EVENT_CLOSED
            unsafe c.pointee.closed = arena.message(value)
        case .seek(let value):
            unsafe c.pointee.event_case = ENGINE__V1__WATCH_EVENT__EVENT_SEEK
            unsafe c.pointee.seek = arena.message(value)
        case .batch(let value):
            unsafe c.pointee.event_case = ENGINE__V1__WATCH_EVENT__EVENT_BATCH
            unsafe c.pointee.batch = arena.message(value)
        case .cue(let value):
            unsafe c.pointee.event_case = ENGINE__V1__WATCH_EVENT__EVENT_CUE
            unsafe c.pointee.cue = arena.message(value)
        case nil: break
        }
    }
}

extension Proto {
    struct EventBatch: Equatable, Sendable {
        var events: [Proto.WatchEvent] = []
    }
}

extension Proto.EventBatch: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__EventBatch>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__event_batch__init(pointer.assumingMemoryBound(to: Engine__V1__EventBatch.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__EventBatch.self)
        events = unsafe readMessages(c.pointee.events, c.pointee.n_events)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__EventBatch.self)
        unsafe c.pointee.n_events = events.count
        unsafe c.pointee.events = arena.messages(events)
    }
}

extension Proto {
    struct SeekEvent: Equatable, Sendable {
        var id: UInt64 = 0
        var stage: Proto.SeekStage = Proto.SeekStage(rawValue: 0)
        var targetMicroseconds: Int64 = 0
    }
}

extension Proto.SeekEvent: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__SeekEvent>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__seek_event__init(pointer.assumingMemoryBound(to: Engine__V1__SeekEvent.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__SeekEvent.self)
        id = unsafe c.pointee.id
        stage = unsafe Proto.SeekStage(rawValue: c.pointee.stage.rawValue)
        targetMicroseconds = unsafe c.pointee.target_us
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__SeekEvent.self)
        unsafe c.pointee.id = id
        unsafe c.pointee.stage.rawValue = stage.rawValue
        unsafe c.pointee.target_us = targetMicroseconds
    }
}

extension Proto {
    struct StateDelta: Equatable, Sendable {
        var fields: [Proto.StateField] = []
        var state: Proto.SessionState?
    }
}

extension Proto.StateDelta: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__StateDelta>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__state_delta__init(pointer.assumingMemoryBound(to: Engine__V1__StateDelta.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__StateDelta.self)
        fields = unsafe readChoices(c.pointee.fields, c.pointee.n_fields)
        state = unsafe readMessage(c.pointee.state)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__StateDelta.self)
        unsafe c.pointee.n_fields = fields.count
        unsafe c.pointee.fields = arena.choices(fields)
        unsafe c.pointee.state = arena.message(state)
    }
}

extension Proto {
    struct TimeEvent: Equatable, Sendable {
        var positionMicroseconds: Int64 = 0
        var rate: Double = 0
        var monotonicNanoseconds: Int64 = 0
    }
}

extension Proto.TimeEvent: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__TimeEvent>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__time_event__init(pointer.assumingMemoryBound(to: Engine__V1__TimeEvent.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__TimeEvent.self)
        positionMicroseconds = unsafe c.pointee.position_us
        rate = unsafe c.pointee.rate
        monotonicNanoseconds = unsafe c.pointee.monotonic_ns
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__TimeEvent.self)
        unsafe c.pointee.position_us = positionMicroseconds
        unsafe c.pointee.rate = rate
        unsafe c.pointee.monotonic_ns = monotonicNanoseconds
    }
}

extension Proto {
    struct Gap: Equatable, Sendable {
        var dropped: UInt32 = 0
    }
}

extension Proto.Gap: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__Gap>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__gap__init(pointer.assumingMemoryBound(to: Engine__V1__Gap.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__Gap.self)
        dropped = unsafe c.pointee.dropped
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__Gap.self)
        unsafe c.pointee.dropped = dropped
    }
}

extension Proto {
    struct SessionClosed: Equatable, Sendable {
        var error: Proto.ErrorInfo?
    }
}

extension Proto.SessionClosed: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__SessionClosed>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__session_closed__init(pointer.assumingMemoryBound(to: Engine__V1__SessionClosed.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__SessionClosed.self)
        error = unsafe readMessage(c.pointee.error)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__SessionClosed.self)
        unsafe c.pointee.error = arena.message(error)
    }
}

extension Proto {
    struct SegmentChunk: Equatable, Sendable {
        var data: [UInt8] = []
    }
}

extension Proto.SegmentChunk: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__SegmentChunk>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__segment_chunk__init(pointer.assumingMemoryBound(to: Engine__V1__SegmentChunk.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__SegmentChunk.self)
        data = unsafe readData(c.pointee.data)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__SegmentChunk.self)
        unsafe c.pointee.data = arena.data(data)
    }
}

extension Proto {
    struct SegmentReport: Equatable, Sendable {
        var tracks: [Proto.SegmentTrack] = []
        var problems: [String] = []
    }
}

extension Proto.SegmentReport: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__SegmentReport>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__segment_report__init(pointer.assumingMemoryBound(to: Engine__V1__SegmentReport.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__SegmentReport.self)
        tracks = unsafe readMessages(c.pointee.tracks, c.pointee.n_tracks)
        problems = unsafe readTexts(c.pointee.problems, c.pointee.n_problems)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__SegmentReport.self)
        unsafe c.pointee.n_tracks = tracks.count
        unsafe c.pointee.tracks = arena.messages(tracks)
        unsafe c.pointee.n_problems = problems.count
        unsafe c.pointee.problems = arena.texts(problems)
    }
}

extension Proto {
    struct SegmentTrack: Equatable, Sendable {
        var codec: String = ""
        var packets: UInt32 = 0
        var decodedFrames: UInt32 = 0
        var decodeErrors: UInt32 = 0
        var startMicroseconds: Int64 = 0
        var endMicroseconds: Int64 = 0
        var startsWithKeyframe: Bool = false
    }
}

extension Proto.SegmentTrack: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__SegmentTrack>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__segment_track__init(pointer.assumingMemoryBound(to: Engine__V1__SegmentTrack.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__SegmentTrack.self)
        codec = unsafe readText(c.pointee.codec)
        packets = unsafe c.pointee.packets
        decodedFrames = unsafe c.pointee.decoded_frames
        decodeErrors = unsafe c.pointee.decode_errors
        startMicroseconds = unsafe c.pointee.start_us
        endMicroseconds = unsafe c.pointee.end_us
        startsWithKeyframe = unsafe c.pointee.starts_with_keyframe != 0
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__SegmentTrack.self)
        unsafe c.pointee.codec = arena.text(codec)
        unsafe c.pointee.packets = packets
        unsafe c.pointee.decoded_frames = decodedFrames
        unsafe c.pointee.decode_errors = decodeErrors
        unsafe c.pointee.start_us = startMicroseconds
        unsafe c.pointee.end_us = endMicroseconds
        unsafe c.pointee.starts_with_keyframe = startsWithKeyframe ? 1 : 0
    }
}

extension Proto {
    struct RenderRequest: Equatable, Sendable {
        indirect enum Request: Equatable, Sendable {
            case attach(Proto.AttachRenderer)
            case report(Proto.RendererReport)
        }

        var request: Request?
    }
}

extension Proto.RenderRequest: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__RenderRequest>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__render_request__init(pointer.assumingMemoryBound(to: Engine__V1__RenderRequest.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__RenderRequest.self)
        switch unsafe c.pointee.request_case {
        case ENGINE__V1__RENDER_REQUEST__REQUEST_ATTACH:
            request = unsafe readMessage(c.pointee.attach).map(Request.attach)
        case ENGINE__V1__RENDER_REQUEST__REQUEST_REPORT:
            request = unsafe readMessage(c.pointee.report).map(Request.report)
        default: break
        }
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__RenderRequest.self)
        switch request {
        case .attach(let value):
            unsafe c.pointee.request_case = ENGINE__V1__RENDER_REQUEST__REQUEST_ATTACH
            unsafe c.pointee.attach = arena.message(value)
        case .report(let value):
            unsafe c.pointee.request_case = ENGINE__V1__RENDER_REQUEST__REQUEST_REPORT
            unsafe c.pointee.report = arena.message(value)
        case nil: break
        }
    }
}

extension Proto {
    struct AttachRenderer: Equatable, Sendable {
        var sessionID: String = ""
        var name: String = ""
        var replace: Bool = false
    }
}

extension Proto.AttachRenderer: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__AttachRenderer>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__attach_renderer__init(pointer.assumingMemoryBound(to: Engine__V1__AttachRenderer.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__AttachRenderer.self)
        sessionID = unsafe readText(c.pointee.session_id)
        name = unsafe readText(c.pointee.name)
        replace = unsafe c.pointee.replace != 0
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__AttachRenderer.self)
        unsafe c.pointee.session_id = arena.text(sessionID)
        unsafe c.pointee.name = arena.text(name)
        unsafe c.pointee.replace = replace ? 1 : 0
    }
}

extension Proto {
    struct RendererReport: Equatable, Sendable {
        var positionMicroseconds: Int64 = 0
        var rate: Double = 0
        var buffering: Bool = false
        var ended: Bool = false
        var seekID: UInt64 = 0
        var buffered: [Proto.TimeRange] = []
        var droppedFrames: UInt64 = 0
        var lastCommand: UInt64 = 0
    }
}

extension Proto.RendererReport: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__RendererReport>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__renderer_report__init(pointer.assumingMemoryBound(to: Engine__V1__RendererReport.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__RendererReport.self)
        positionMicroseconds = unsafe c.pointee.position_us
        rate = unsafe c.pointee.rate
        buffering = unsafe c.pointee.buffering != 0
        ended = unsafe c.pointee.ended != 0
        seekID = unsafe c.pointee.seek_id
        buffered = unsafe readMessages(c.pointee.buffered, c.pointee.n_buffered)
        droppedFrames = unsafe c.pointee.dropped_frames
        lastCommand = unsafe c.pointee.last_command
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__RendererReport.self)
        unsafe c.pointee.position_us = positionMicroseconds
        unsafe c.pointee.rate = rate
        unsafe c.pointee.buffering = buffering ? 1 : 0
        unsafe c.pointee.ended = ended ? 1 : 0
        unsafe c.pointee.seek_id = seekID
        unsafe c.pointee.n_buffered = buffered.count
        unsafe c.pointee.buffered = arena.messages(buffered)
        unsafe c.pointee.dropped_frames = droppedFrames
        unsafe c.pointee.last_command = lastCommand
    }
}

extension Proto {
    struct RenderCommand: Equatable, Sendable {
        indirect enum Command: Equatable, Sendable {
            case load(Proto.RenderLoad)
            case play(Proto.RenderPlay)
            case pause(Proto.RenderPause)
            case seek(Proto.RenderSeek)
            case rate(Double)
            case volume(Double)
            case muted(Bool)
            case stop(Proto.RenderStop)
        }

        var number: UInt64 = 0
        var command: Command?
    }
}

extension Proto.RenderCommand: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__RenderCommand>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__render_command__init(pointer.assumingMemoryBound(to: Engine__V1__RenderCommand.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__RenderCommand.self)
        number = unsafe c.pointee.number
        switch unsafe c.pointee.command_case {
        case ENGINE__V1__RENDER_COMMAND__COMMAND_LOAD:
            command = unsafe readMessage(c.pointee.load).map(Command.load)
        case ENGINE__V1__RENDER_COMMAND__COMMAND_PLAY:
            command = unsafe readMessage(c.pointee.play).map(Command.play)
        case ENGINE__V1__RENDER_COMMAND__COMMAND_PAUSE:
            command = unsafe readMessage(c.pointee.pause).map(Command.pause)
        case ENGINE__V1__RENDER_COMMAND__COMMAND_SEEK:
            command = unsafe readMessage(c.pointee.seek).map(Command.seek)
        case ENGINE__V1__RENDER_COMMAND__COMMAND_RATE:
            command = .rate(unsafe c.pointee.rate)
        case ENGINE__V1__RENDER_COMMAND__COMMAND_VOLUME:
            command = .volume(unsafe c.pointee.volume)
        case ENGINE__V1__RENDER_COMMAND__COMMAND_MUTED:
            command = .muted(unsafe c.pointee.muted != 0)
        case ENGINE__V1__RENDER_COMMAND__COMMAND_STOP:
            command = unsafe readMessage(c.pointee.stop).map(Command.stop)
        default: break
        }
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__RenderCommand.self)
        unsafe c.pointee.number = number
        switch command {
        case .load(let value):
            unsafe c.pointee.command_case = ENGINE__V1__RENDER_COMMAND__COMMAND_LOAD
            unsafe c.pointee.load = arena.message(value)
        case .play(let value):
            unsafe c.pointee.command_case = ENGINE__V1__RENDER_COMMAND__COMMAND_PLAY
            unsafe c.pointee.play = arena.message(value)
        case .pause(let value):
            unsafe c.pointee.command_case = ENGINE__V1__RENDER_COMMAND__COMMAND_PAUSE
            unsafe c.pointee.pause = arena.message(value)
        case .seek(let value):
            unsafe c.pointee.command_case = ENGINE__V1__RENDER_COMMAND__COMMAND_SEEK
            unsafe c.pointee.seek = arena.message(value)
        case .rate(let value):
            unsafe c.pointee.command_case = ENGINE__V1__RENDER_COMMAND__COMMAND_RATE
            unsafe c.pointee.rate = value
        case .volume(let value):
            unsafe c.pointee.command_case = ENGINE__V1__RENDER_COMMAND__COMMAND_VOLUME
            unsafe c.pointee.volume = value
        case .muted(let value):
            unsafe c.pointee.command_case = ENGINE__V1__RENDER_COMMAND__COMMAND_MUTED
            unsafe c.pointee.muted = value ? 1 : 0
        case .stop(let value):
            unsafe c.pointee.command_case = ENGINE__V1__RENDER_COMMAND__COMMAND_STOP
            unsafe c.pointee.stop = arena.message(value)
        case nil: break
        }
    }
}

extension Proto {
    struct RenderLoad: Equatable, Sendable {
        var url: String = ""
        var positionMicroseconds: Int64 = 0
    }
}

extension Proto.RenderLoad: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__RenderLoad>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__render_load__init(pointer.assumingMemoryBound(to: Engine__V1__RenderLoad.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__RenderLoad.self)
        url = unsafe readText(c.pointee.url)
        positionMicroseconds = unsafe c.pointee.position_us
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__RenderLoad.self)
        unsafe c.pointee.url = arena.text(url)
        unsafe c.pointee.position_us = positionMicroseconds
    }
}

extension Proto {
    struct RenderPlay: Equatable, Sendable {
    }
}

extension Proto.RenderPlay: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__RenderPlay>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__render_play__init(pointer.assumingMemoryBound(to: Engine__V1__RenderPlay.self))
    }

    init(reading pointer: UnsafeRawPointer) {
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
    }
}

extension Proto {
    struct RenderPause: Equatable, Sendable {
    }
}

extension Proto.RenderPause: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__RenderPause>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__render_pause__init(pointer.assumingMemoryBound(to: Engine__V1__RenderPause.self))
    }

    init(reading pointer: UnsafeRawPointer) {
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
    }
}

extension Proto {
    struct RenderSeek: Equatable, Sendable {
        var id: UInt64 = 0
        var positionMicroseconds: Int64 = 0
    }
}

extension Proto.RenderSeek: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__RenderSeek>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__render_seek__init(pointer.assumingMemoryBound(to: Engine__V1__RenderSeek.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__RenderSeek.self)
        id = unsafe c.pointee.id
        positionMicroseconds = unsafe c.pointee.position_us
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__RenderSeek.self)
        unsafe c.pointee.id = id
        unsafe c.pointee.position_us = positionMicroseconds
    }
}

extension Proto {
    struct RenderStop: Equatable, Sendable {
    }
}

extension Proto.RenderStop: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__RenderStop>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__render_stop__init(pointer.assumingMemoryBound(to: Engine__V1__RenderStop.self))
    }

    init(reading pointer: UnsafeRawPointer) {
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
    }
}
