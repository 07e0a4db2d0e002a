// Generated from engine/v1/state.proto by scripts/generate-proto. DO NOT EDIT!

internal import CEngineProto

extension Proto {
    struct Phase: ProtobufEnum {
        var rawValue: UInt32

        static let unspecified = Self(rawValue: 0)
        static let opening = Self(rawValue: 1)
        static let ready = Self(rawValue: 2)
        static let playing = Self(rawValue: 3)
        static let paused = Self(rawValue: 4)
        static let buffering = Self(rawValue: 5)
        static let seeking = Self(rawValue: 6)
        static let ended = Self(rawValue: 7)
        static let error = Self(rawValue: 8)
        static let idle = Self(rawValue: 9)
        static let play = Self(rawValue: 10)
        static let pausing = Self(rawValue: 11)
        static let stopping = Self(rawValue: 12)
    }
}

extension Engine__V1__Phase: ProtobufCEnum {}

extension Proto {
    struct StateField: ProtobufEnum {
        var rawValue: UInt32

        static let unspecified = Self(rawValue: 0)
        static let identity = Self(rawValue: 1)
        static let phase = Self(rawValue: 2)
        static let position = Self(rawValue: 3)
        static let duration = Self(rawValue: 4)
        static let buffered = Self(rawValue: 5)
        static let production = Self(rawValue: 6)
        static let media = Self(rawValue: 7)
        static let format = Self(rawValue: 8)
        static let audio = Self(rawValue: 9)
        static let settings = Self(rawValue: 10)
        static let chapter = Self(rawValue: 11)
        static let metadata = Self(rawValue: 12)
        static let statistics = Self(rawValue: 13)
        static let renderer = Self(rawValue: 14)
        static let subtitles = Self(rawValue: 15)
        static let filters = Self(rawValue: 16)
        static let recording = Self(rawValue: 17)
    }
}

extension Engine__V1__StateField: ProtobufCEnum {}

extension Proto {
    struct RecordingPhase: ProtobufEnum {
        var rawValue: UInt32

        static let unspecified = Self(rawValue: 0)
        static let running = Self(rawValue: 1)
        static let ended = Self(rawValue: 2)
        static let failed = Self(rawValue: 3)
    }
}

extension Engine__V1__RecordingPhase: ProtobufCEnum {}

extension Proto {
    struct Severity: ProtobufEnum {
        var rawValue: UInt32

        static let unspecified = Self(rawValue: 0)
        static let info = Self(rawValue: 1)
        static let warning = Self(rawValue: 2)
    }
}

extension Engine__V1__Severity: ProtobufCEnum {}

extension Proto {
    struct SessionState: Equatable, Sendable {
        var sessionID: String = ""
        var revision: UInt64 = 0
        var source: String = ""
        var url: String = ""
        var phase: Proto.Phase = Proto.Phase(rawValue: 0)
        var error: Proto.ErrorInfo?
        var position: Proto.Position?
        var durationMicroseconds: Int64 = 0
        var seekable: [Proto.TimeRange] = []
        var buffered: [Proto.TimeRange] = []
        var production: Proto.Production?
        var media: Proto.MediaDescription?
        var videoFormat: String = ""
        var sourceVideoFormat: String = ""
        var route: String = ""
        var routeReason: String = ""
        var profile: String = ""
        var selectedAudio: Proto.SelectedAudio?
        var volume: Double = 0
        var muted: Bool = false
        var looping: Bool = false
        var currentChapter: Proto.CurrentChapter?
        var metadata: [Proto.Tag] = []
        var coverArtURL: String = ""
        var statistics: Proto.Statistics?
        var renderer: Proto.Renderer?
        var rateRange: Proto.RateRange?
        var subtitleTracks: [Proto.SubtitleTrack] = []
        var selectedSubtitles: [UInt32] = []
        var storyboardURL: String = ""
        var path: Proto.PlaybackPath = Proto.PlaybackPath(rawValue: 0)
        var loopPoints: Proto.LoopPoints?
        var audioDelayMicroseconds: Int64 = 0
        var subtitleDelayMicroseconds: Int64 = 0
        var adjustments: Proto.PictureAdjustments?
        var filters: [Proto.AppliedFilter] = []
        var overlays: [Proto.PlacedOverlay] = []
        var sourceWait: String = ""
        var growing: Bool = false
        var live: Proto.Live?
        var recording: Proto.Recording?
    }
}

extension Proto.SessionState: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__SessionState>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__session_state__init(pointer.assumingMemoryBound(to: Engine__V1__SessionState.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__SessionState.self)
        sessionID = unsafe readText(c.pointee.session_id)
        revision = unsafe c.pointee.revision
        source = unsafe readText(c.pointee.source)
        url = unsafe readText(c.pointee.url)
        phase = unsafe Proto.Phase(rawValue: c.pointee.phase.rawValue)
        error = unsafe readMessage(c.pointee.error)
        position = unsafe readMessage(c.pointee.position)
        durationMicroseconds = unsafe c.pointee.duration_us
        seekable = unsafe readMessages(c.pointee.seekable, c.pointee.n_seekable)
        buffered = unsafe readMessages(c.pointee.buffered, c.pointee.n_buffered)
        production = unsafe readMessage(c.pointee.production)
        media = unsafe readMessage(c.pointee.media)
        videoFormat = unsafe readText(c.pointee.video_format)
        sourceVideoFormat = unsafe readText(c.pointee.source_video_format)
        route = unsafe readText(c.pointee.route)
        routeReason = unsafe readText(c.pointee.route_reason)
        profile = unsafe readText(c.pointee.profile)
        selectedAudio = unsafe readMessage(c.pointee.selected_audio)
        volume = unsafe c.pointee.volume
        muted = unsafe c.pointee.muted != 0
        looping = unsafe c.pointee.looping != 0
        currentChapter = unsafe readMessage(c.pointee.current_chapter)
        metadata = unsafe readMessages(c.pointee.metadata, c.pointee.n_metadata)
        coverArtURL = unsafe readText(c.pointee.cover_art_url)
        statistics = unsafe readMessage(c.pointee.statistics)
        renderer = unsafe readMessage(c.pointee.renderer)
        rateRange = unsafe readMessage(c.pointee.rate_range)
        subtitleTracks = unsafe readMessages(c.pointee.subtitle_tracks, c.pointee.n_subtitle_tracks)
        selectedSubtitles = unsafe readNumbers(c.pointee.selected_subtitles, c.pointee.n_selected_subtitles)
        storyboardURL = unsafe readText(c.pointee.storyboard_url)
        path = unsafe Proto.PlaybackPath(rawValue: c.pointee.path.rawValue)
        loopPoints = unsafe readMessage(c.pointee.loop_points)
        audioDelayMicroseconds = unsafe c.pointee.audio_delay_us
        subtitleDelayMicroseconds = unsafe c.pointee.subtitle_delay_us
        adjustments = unsafe readMessage(c.pointee.adjustments)
        filters = unsafe readMessages(c.pointee.filters, c.pointee.n_filters)
        overlays = unsafe readMessages(c.pointee.overlays, c.pointee.n_overlays)
        sourceWait = unsafe readText(c.pointee.source_wait)
        growing = unsafe c.pointee.growing != 0
        live = unsafe readMessage(c.pointee.live)
        recording = unsafe readMessage(c.pointee.recording)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__SessionState.self)
        unsafe c.pointee.session_id = arena.text(sessionID)
        unsafe c.pointee.revision = revision
        unsafe c.pointee.source = arena.text(source)
        unsafe c.pointee.url = arena.text(url)
        unsafe c.pointee.phase.rawValue = phase.rawValue
        unsafe c.pointee.error = arena.message(error)
        unsafe c.pointee.position = arena.message(position)
        unsafe c.pointee.duration_us = durationMicroseconds
        unsafe c.pointee.n_seekable = seekable.count
        unsafe c.pointee.seekable = arena.messages(seekable)
        unsafe c.pointee.n_buffered = buffered.count
        unsafe c.pointee.buffered = arena.messages(buffered)
        unsafe c.pointee.production = arena.message(production)
        unsafe c.pointee.media = arena.message(media)
        unsafe c.pointee.video_format = arena.text(videoFormat)
        unsafe c.pointee.source_video_format = arena.text(sourceVideoFormat)
        unsafe c.pointee.route = arena.text(route)
        unsafe c.pointee.route_reason = arena.text(routeReason)
        unsafe c.pointee.profile = arena.text(profile)
        unsafe c.pointee.selected_audio = arena.message(selectedAudio)
        unsafe c.pointee.volume = volume
        unsafe c.pointee.muted = muted ? 1 : 0
        unsafe c.pointee.looping = looping ? 1 : 0
        unsafe c.pointee.current_chapter = arena.message(currentChapter)
        unsafe c.pointee.n_metadata = metadata.count
        unsafe c.pointee.metadata = arena.messages(metadata)
        unsafe c.pointee.cover_art_url = arena.text(coverArtURL)
        unsafe c.pointee.statistics = arena.message(statistics)
        unsafe c.pointee.renderer = arena.message(renderer)
        unsafe c.pointee.rate_range = arena.message(rateRange)
        unsafe c.pointee.n_subtitle_tracks = subtitleTracks.count
        unsafe c.pointee.subtitle_tracks = arena.messages(subtitleTracks)
        unsafe c.pointee.n_selected_subtitles = selectedSubtitles.count
        unsafe c.pointee.selected_subtitles = arena.numbers(selectedSubtitles)
        unsafe c.pointee.storyboard_url = arena.text(storyboardURL)
        unsafe c.pointee.path.rawValue = path.rawValue
        unsafe c.pointee.loop_points = arena.message(loopPoints)
        unsafe c.pointee.audio_delay_us = audioDelayMicroseconds
        unsafe c.pointee.subtitle_delay_us = subtitleDelayMicroseconds
        unsafe c.pointee.adjustments = arena.message(adjustments)
        unsafe c.pointee.n_filters = filters.count
        unsafe c.pointee.filters = arena.messages(filters)
        unsafe c.pointee.n_overlays = overlays.count
        unsafe c.pointee.overlays = arena.messages(overlays)
        unsafe c.pointee.source_wait = arena.text(sourceWait)
        unsafe c.pointee.growing = growing ? 1 : 0
        unsafe c.pointee.live = arena.message(live)
        unsafe c.pointee.recording = arena.message(recording)
    }
}

extension Proto {
    struct Recording: Equatable, Sendable {
        var phase: Proto.RecordingPhase = Proto.RecordingPhase(rawValue: 0)
        var path: String = ""
        var earlierPaths: [String] = []
        var subtitlePaths: [String] = []
        var startMicroseconds: Int64 = 0
        var durationMicroseconds: Int64 = 0
        var byteCount: Int64 = 0
        var error: Proto.ErrorInfo?
    }
}

extension Proto.Recording: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__Recording>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__recording__init(pointer.assumingMemoryBound(to: Engine__V1__Recording.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__Recording.self)
        phase = unsafe Proto.RecordingPhase(rawValue: c.pointee.phase.rawValue)
        path = unsafe readText(c.pointee.path)
        earlierPaths = unsafe readTexts(c.pointee.earlier_paths, c.pointee.n_earlier_paths)
        subtitlePaths = unsafe readTexts(c.pointee.subtitle_paths, c.pointee.n_subtitle_paths)
        startMicroseconds = unsafe c.pointee.start_us
        durationMicroseconds = unsafe c.pointee.duration_us
        byteCount = unsafe c.pointee.byte_count
        error = unsafe readMessage(c.pointee.error)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__Recording.self)
        unsafe c.pointee.phase.rawValue = phase.rawValue
        unsafe c.pointee.path = arena.text(path)
        unsafe c.pointee.n_earlier_paths = earlierPaths.count
        unsafe c.pointee.earlier_paths = arena.texts(earlierPaths)
        unsafe c.pointee.n_subtitle_paths = subtitlePaths.count
        unsafe c.pointee.subtitle_paths = arena.texts(subtitlePaths)
        unsafe c.pointee.start_us = startMicroseconds
        unsafe c.pointee.duration_us = durationMicroseconds
        unsafe c.pointee.byte_count = byteCount
        unsafe c.pointee.error = arena.message(error)
    }
}

extension Proto {
    struct Live: Equatable, Sendable {
        var edgeMicroseconds: Int64 = 0
        var monotonicNanoseconds: Int64 = 0
        var latencyMicroseconds: Int64 = 0
        var targetLatencyMicroseconds: Int64 = 0
        var wallClockUnixMicroseconds: Int64 = 0
        var wallClockDoubtful: Bool = false
        var stalled: Bool = false
    }
}

extension Proto.Live: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__Live>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__live__init(pointer.assumingMemoryBound(to: Engine__V1__Live.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__Live.self)
        edgeMicroseconds = unsafe c.pointee.edge_us
        monotonicNanoseconds = unsafe c.pointee.monotonic_ns
        latencyMicroseconds = unsafe c.pointee.latency_us
        targetLatencyMicroseconds = unsafe c.pointee.target_latency_us
        wallClockUnixMicroseconds = unsafe c.pointee.wall_clock_unix_us
        wallClockDoubtful = unsafe c.pointee.wall_clock_doubtful != 0
        stalled = unsafe c.pointee.stalled != 0
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__Live.self)
        unsafe c.pointee.edge_us = edgeMicroseconds
        unsafe c.pointee.monotonic_ns = monotonicNanoseconds
        unsafe c.pointee.latency_us = latencyMicroseconds
        unsafe c.pointee.target_latency_us = targetLatencyMicroseconds
        unsafe c.pointee.wall_clock_unix_us = wallClockUnixMicroseconds
        unsafe c.pointee.wall_clock_doubtful = wallClockDoubtful ? 1 : 0
        unsafe c.pointee.stalled = stalled ? 1 : 0
    }
}

extension Proto {
    struct LoopPoints: Equatable, Sendable {
        var startMicroseconds: Int64 = 0
        var endMicroseconds: Int64 = 0
    }
}

extension Proto.LoopPoints: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__LoopPoints>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__loop_points__init(pointer.assumingMemoryBound(to: Engine__V1__LoopPoints.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__LoopPoints.self)
        startMicroseconds = unsafe c.pointee.start_us
        endMicroseconds = unsafe c.pointee.end_us
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__LoopPoints.self)
        unsafe c.pointee.start_us = startMicroseconds
        unsafe c.pointee.end_us = endMicroseconds
    }
}

extension Proto {
    struct RateRange: Equatable, Sendable {
        var min: Double = 0
        var max: Double = 0
    }
}

extension Proto.RateRange: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__RateRange>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__rate_range__init(pointer.assumingMemoryBound(to: Engine__V1__RateRange.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__RateRange.self)
        min = unsafe c.pointee.min
        max = unsafe c.pointee.max
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__RateRange.self)
        unsafe c.pointee.min = min
        unsafe c.pointee.max = max
    }
}

extension Proto {
    struct CurrentChapter: Equatable, Sendable {
        var index: UInt32 = 0
    }
}

extension Proto.CurrentChapter: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__CurrentChapter>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__current_chapter__init(pointer.assumingMemoryBound(to: Engine__V1__CurrentChapter.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__CurrentChapter.self)
        index = unsafe c.pointee.index
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__CurrentChapter.self)
        unsafe c.pointee.index = index
    }
}

extension Proto {
    struct Statistics: Equatable, Sendable {
        var bytesRead: UInt64 = 0
        var segmentsMade: UInt64 = 0
        var segmentsServed: UInt64 = 0
        var segmentsEvicted: UInt64 = 0
        var cacheHits: UInt64 = 0
        var productionSpeed: Double = 0
        var stalls: UInt64 = 0
        var stallMicroseconds: UInt64 = 0
        var droppedFrames: UInt64 = 0
        var decodeMicroseconds: UInt64 = 0
        var residentBytes: UInt64 = 0
        var decodedFrames: UInt64 = 0
        var decodeErrors: UInt64 = 0
        var picturesInPlace: UInt64 = 0
        var picturesCopied: UInt64 = 0
        var httpRequests: UInt64 = 0
        var httpRetries: UInt64 = 0
        var httpBytes: UInt64 = 0
        var httpRoundTripMicroseconds: UInt64 = 0
        var httpBandwidth: UInt64 = 0
        var httpCacheHits: UInt64 = 0
        var httpDiskBytes: UInt64 = 0
        var httpBandwidthFast: UInt64 = 0
        var httpBandwidthSlow: UInt64 = 0
        var streamRejoins: UInt64 = 0
        var streamGaps: UInt64 = 0
        var streamRepeatedBytes: UInt64 = 0
        var streamContinuityErrors: UInt64 = 0
        var streamTransportErrors: UInt64 = 0
    }
}

extension Proto.Statistics: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__Statistics>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__statistics__init(pointer.assumingMemoryBound(to: Engine__V1__Statistics.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__Statistics.self)
        bytesRead = unsafe c.pointee.bytes_read
        segmentsMade = unsafe c.pointee.segments_made
        segmentsServed = unsafe c.pointee.segments_served
        segmentsEvicted = unsafe c.pointee.segments_evicted
        cacheHits = unsafe c.pointee.cache_hits
        productionSpeed = unsafe c.pointee.production_speed
        stalls = unsafe c.pointee.stalls
        stallMicroseconds = unsafe c.pointee.stall_us
        droppedFrames = unsafe c.pointee.dropped_frames
        decodeMicroseconds = unsafe c.pointee.decode_us
        residentBytes = unsafe c.pointee.resident_bytes
        decodedFrames = unsafe c.pointee.decoded_frames
        decodeErrors = unsafe c.pointee.decode_errors
        picturesInPlace = unsafe c.pointee.pictures_in_place
        picturesCopied = unsafe c.pointee.pictures_copied
        httpRequests = unsafe c.pointee.http_requests
        httpRetries = unsafe c.pointee.http_retries
        httpBytes = unsafe c.pointee.http_bytes
        httpRoundTripMicroseconds = unsafe c.pointee.http_round_trip_us
        httpBandwidth = unsafe c.pointee.http_bandwidth
        httpCacheHits = unsafe c.pointee.http_cache_hits
        httpDiskBytes = unsafe c.pointee.http_disk_bytes
        httpBandwidthFast = unsafe c.pointee.http_bandwidth_fast
        httpBandwidthSlow = unsafe c.pointee.http_bandwidth_slow
        streamRejoins = unsafe c.pointee.stream_rejoins
        streamGaps = unsafe c.pointee.stream_gaps
        streamRepeatedBytes = unsafe c.pointee.stream_repeated_bytes
        streamContinuityErrors = unsafe c.pointee.stream_continuity_errors
        streamTransportErrors = unsafe c.pointee.stream_transport_errors
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__Statistics.self)
        unsafe c.pointee.bytes_read = bytesRead
        unsafe c.pointee.segments_made = segmentsMade
        unsafe c.pointee.segments_served = segmentsServed
        unsafe c.pointee.segments_evicted = segmentsEvicted
        unsafe c.pointee.cache_hits = cacheHits
        unsafe c.pointee.production_speed = productionSpeed
        unsafe c.pointee.stalls = stalls
        unsafe c.pointee.stall_us = stallMicroseconds
        unsafe c.pointee.dropped_frames = droppedFrames
        unsafe c.pointee.decode_us = decodeMicroseconds
        unsafe c.pointee.resident_bytes = residentBytes
        unsafe c.pointee.decoded_frames = decodedFrames
        unsafe c.pointee.decode_errors = decodeErrors
        unsafe c.pointee.pictures_in_place = picturesInPlace
        unsafe c.pointee.pictures_copied = picturesCopied
        unsafe c.pointee.http_requests = httpRequests
        unsafe c.pointee.http_retries = httpRetries
        unsafe c.pointee.http_bytes = httpBytes
        unsafe c.pointee.http_round_trip_us = httpRoundTripMicroseconds
        unsafe c.pointee.http_bandwidth = httpBandwidth
        unsafe c.pointee.http_cache_hits = httpCacheHits
        unsafe c.pointee.http_disk_bytes = httpDiskBytes
        unsafe c.pointee.http_bandwidth_fast = httpBandwidthFast
        unsafe c.pointee.http_bandwidth_slow = httpBandwidthSlow
        unsafe c.pointee.stream_rejoins = streamRejoins
        unsafe c.pointee.stream_gaps = streamGaps
        unsafe c.pointee.stream_repeated_bytes = streamRepeatedBytes
        unsafe c.pointee.stream_continuity_errors = streamContinuityErrors
        unsafe c.pointee.stream_transport_errors = streamTransportErrors
    }
}

extension Proto {
    struct Renderer: Equatable, Sendable {
        var name: String = ""
    }
}

extension Proto.Renderer: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__Renderer>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__renderer__init(pointer.assumingMemoryBound(to: Engine__V1__Renderer.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__Renderer.self)
        name = unsafe readText(c.pointee.name)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__Renderer.self)
        unsafe c.pointee.name = arena.text(name)
    }
}

extension Proto {
    struct SelectedAudio: Equatable, Sendable {
        var streamIndex: UInt32 = 0
    }
}

extension Proto.SelectedAudio: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__SelectedAudio>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__selected_audio__init(pointer.assumingMemoryBound(to: Engine__V1__SelectedAudio.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__SelectedAudio.self)
        streamIndex = unsafe c.pointee.stream_index
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__SelectedAudio.self)
        unsafe c.pointee.stream_index = streamIndex
    }
}

extension Proto {
    struct Position: Equatable, Sendable {
        var positionMicroseconds: Int64 = 0
        var rate: Double = 0
        var monotonicNanoseconds: Int64 = 0
        var requestedRate: Double = 0
    }
}

extension Proto.Position: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__Position>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__position__init(pointer.assumingMemoryBound(to: Engine__V1__Position.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__Position.self)
        positionMicroseconds = unsafe c.pointee.position_us
        rate = unsafe c.pointee.rate
        monotonicNanoseconds = unsafe c.pointee.monotonic_ns
        requestedRate = unsafe c.pointee.requested_rate
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__Position.self)
        unsafe c.pointee.position_us = positionMicroseconds
        unsafe c.pointee.rate = rate
        unsafe c.pointee.monotonic_ns = monotonicNanoseconds
        unsafe c.pointee.requested_rate = requestedRate
    }
}

extension Proto {
    struct TimeRange: Equatable, Sendable {
        var startMicroseconds: Int64 = 0
        var endMicroseconds: Int64 = 0
    }
}

extension Proto.TimeRange: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__TimeRange>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__time_range__init(pointer.assumingMemoryBound(to: Engine__V1__TimeRange.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__TimeRange.self)
        startMicroseconds = unsafe c.pointee.start_us
        endMicroseconds = unsafe c.pointee.end_us
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__TimeRange.self)
        unsafe c.pointee.start_us = startMicroseconds
        unsafe c.pointee.end_us = endMicroseconds
    }
}

extension Proto {
    struct Production: Equatable, Sendable {
        var plannedSegments: UInt32 = 0
        var planComplete: Bool = false
        var scanProgress: Double = 0
        var planOrigin: String = ""
        var segmentsProduced: UInt64 = 0
        var segmentsEvicted: UInt64 = 0
        var cachedBytes: UInt64 = 0
        var bytesProduced: UInt64 = 0
    }
}

extension Proto.Production: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__Production>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__production__init(pointer.assumingMemoryBound(to: Engine__V1__Production.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__Production.self)
        plannedSegments = unsafe c.pointee.planned_segments
        planComplete = unsafe c.pointee.plan_complete != 0
        scanProgress = unsafe c.pointee.scan_progress
        planOrigin = unsafe readText(c.pointee.plan_origin)
        segmentsProduced = unsafe c.pointee.segments_produced
        segmentsEvicted = unsafe c.pointee.segments_evicted
        cachedBytes = unsafe c.pointee.cached_bytes
        bytesProduced = unsafe c.pointee.bytes_produced
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__Production.self)
        unsafe c.pointee.planned_segments = plannedSegments
        unsafe c.pointee.plan_complete = planComplete ? 1 : 0
        unsafe c.pointee.scan_progress = scanProgress
        unsafe c.pointee.plan_origin = arena.text(planOrigin)
        unsafe c.pointee.segments_produced = segmentsProduced
        unsafe c.pointee.segments_evicted = segmentsEvicted
        unsafe c.pointee.cached_bytes = cachedBytes
        unsafe c.pointee.bytes_produced = bytesProduced
    }
}

extension Proto {
    struct Notice: Equatable, Sendable {
        var severity: Proto.Severity = Proto.Severity(rawValue: 0)
        var code: String = ""
        var message: String = ""
    }
}

extension Proto.Notice: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__Notice>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__notice__init(pointer.assumingMemoryBound(to: Engine__V1__Notice.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__Notice.self)
        severity = unsafe Proto.Severity(rawValue: c.pointee.severity.rawValue)
        code = unsafe readText(c.pointee.code)
        message = unsafe readText(c.pointee.message)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__Notice.self)
        unsafe c.pointee.severity.rawValue = severity.rawValue
        unsafe c.pointee.code = arena.text(code)
        unsafe c.pointee.message = arena.text(message)
    }
}

extension Proto {
    struct ErrorInfo: Equatable, Sendable {
        var code: String = ""
        var message: String = ""
        var cause: String = ""
        var field: String = ""
    }
}

extension Proto.ErrorInfo: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Engine__V1__ErrorInfo>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe engine__v1__error_info__init(pointer.assumingMemoryBound(to: Engine__V1__ErrorInfo.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__ErrorInfo.self)
        code = unsafe readText(c.pointee.code)
        message = unsafe readText(c.pointee.message)
        cause = unsafe readText(c.pointee.cause)
        field = unsafe readText(c.pointee.field)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Engine__V1__ErrorInfo.self)
        unsafe c.pointee.code = arena.text(code)
        unsafe c.pointee.message = arena.text(message)
        unsafe c.pointee.cause = arena.text(cause)
        unsafe c.pointee.field = arena.text(field)
    }
}
