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
        static let guide = Self(rawValue: 18)
    }
}

extension Proto {
    struct RecordingPhase: ProtobufEnum {
        var rawValue: UInt32

        static let unspecified = Self(rawValue: 0)
        static let running = Self(rawValue: 1)
        static let ended = Self(rawValue: 2)
        static let failed = Self(rawValue: 3)
    }
}

extension Proto {
    struct Severity: ProtobufEnum {
        var rawValue: UInt32

        static let unspecified = Self(rawValue: 0)
        static let info = Self(rawValue: 1)
        static let warning = Self(rawValue: 2)
    }
}

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
        var guide: [Proto.ProgramGuide] = []
    }
}

extension Proto.SessionState: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.sessionState) }

    init(reading reader: borrowing FieldReader) {
        sessionID = reader.text(at: 1)
        revision = reader.number(at: 2)
        source = reader.text(at: 3)
        url = reader.text(at: 4)
        phase = reader.choice(at: 5)
        error = reader.message(at: 6)
        position = reader.message(at: 7)
        durationMicroseconds = reader.number(at: 8)
        seekable = reader.messages(at: 9)
        buffered = reader.messages(at: 10)
        production = reader.message(at: 11)
        media = reader.message(at: 12)
        videoFormat = reader.text(at: 13)
        sourceVideoFormat = reader.text(at: 14)
        route = reader.text(at: 15)
        routeReason = reader.text(at: 16)
        profile = reader.text(at: 17)
        selectedAudio = reader.message(at: 18)
        volume = reader.number(at: 19)
        muted = reader.flag(at: 20)
        looping = reader.flag(at: 21)
        currentChapter = reader.message(at: 22)
        metadata = reader.messages(at: 23)
        coverArtURL = reader.text(at: 24)
        statistics = reader.message(at: 25)
        renderer = reader.message(at: 26)
        rateRange = reader.message(at: 27)
        subtitleTracks = reader.messages(at: 28)
        selectedSubtitles = reader.numbers(at: 29)
        storyboardURL = reader.text(at: 30)
        path = reader.choice(at: 31)
        loopPoints = reader.message(at: 32)
        audioDelayMicroseconds = reader.number(at: 33)
        subtitleDelayMicroseconds = reader.number(at: 34)
        adjustments = reader.message(at: 40)
        filters = reader.messages(at: 41)
        overlays = reader.messages(at: 42)
        sourceWait = reader.text(at: 43)
        growing = reader.flag(at: 44)
        live = reader.message(at: 45)
        recording = reader.message(at: 46)
        guide = reader.messages(at: 47)
    }

    func write(to writer: inout FieldWriter) {
        writer.text(sessionID, at: 1)
        writer.number(revision, at: 2)
        writer.text(source, at: 3)
        writer.text(url, at: 4)
        writer.choice(phase, at: 5)
        writer.message(error, at: 6)
        writer.message(position, at: 7)
        writer.number(durationMicroseconds, at: 8)
        writer.messages(seekable, at: 9)
        writer.messages(buffered, at: 10)
        writer.message(production, at: 11)
        writer.message(media, at: 12)
        writer.text(videoFormat, at: 13)
        writer.text(sourceVideoFormat, at: 14)
        writer.text(route, at: 15)
        writer.text(routeReason, at: 16)
        writer.text(profile, at: 17)
        writer.message(selectedAudio, at: 18)
        writer.number(volume, at: 19)
        writer.flag(muted, at: 20)
        writer.flag(looping, at: 21)
        writer.message(currentChapter, at: 22)
        writer.messages(metadata, at: 23)
        writer.text(coverArtURL, at: 24)
        writer.message(statistics, at: 25)
        writer.message(renderer, at: 26)
        writer.message(rateRange, at: 27)
        writer.messages(subtitleTracks, at: 28)
        writer.numbers(selectedSubtitles, at: 29)
        writer.text(storyboardURL, at: 30)
        writer.choice(path, at: 31)
        writer.message(loopPoints, at: 32)
        writer.number(audioDelayMicroseconds, at: 33)
        writer.number(subtitleDelayMicroseconds, at: 34)
        writer.message(adjustments, at: 40)
        writer.messages(filters, at: 41)
        writer.messages(overlays, at: 42)
        writer.text(sourceWait, at: 43)
        writer.flag(growing, at: 44)
        writer.message(live, at: 45)
        writer.message(recording, at: 46)
        writer.messages(guide, at: 47)
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
    static var layout: MessageLayout { MessageLayout(.recording) }

    init(reading reader: borrowing FieldReader) {
        phase = reader.choice(at: 1)
        path = reader.text(at: 2)
        earlierPaths = reader.texts(at: 3)
        subtitlePaths = reader.texts(at: 4)
        startMicroseconds = reader.number(at: 5)
        durationMicroseconds = reader.number(at: 6)
        byteCount = reader.number(at: 7)
        error = reader.message(at: 8)
    }

    func write(to writer: inout FieldWriter) {
        writer.choice(phase, at: 1)
        writer.text(path, at: 2)
        writer.texts(earlierPaths, at: 3)
        writer.texts(subtitlePaths, at: 4)
        writer.number(startMicroseconds, at: 5)
        writer.number(durationMicroseconds, at: 6)
        writer.number(byteCount, at: 7)
        writer.message(error, at: 8)
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
        var utcOffsetS: Int32 = 0
    }
}

extension Proto.Live: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.live) }

    init(reading reader: borrowing FieldReader) {
        edgeMicroseconds = reader.number(at: 1)
        monotonicNanoseconds = reader.number(at: 2)
        latencyMicroseconds = reader.number(at: 3)
        targetLatencyMicroseconds = reader.number(at: 4)
        wallClockUnixMicroseconds = reader.number(at: 5)
        wallClockDoubtful = reader.flag(at: 6)
        stalled = reader.flag(at: 7)
        utcOffsetS = reader.number(at: 8)
    }

    func write(to writer: inout FieldWriter) {
        writer.number(edgeMicroseconds, at: 1)
        writer.number(monotonicNanoseconds, at: 2)
        writer.number(latencyMicroseconds, at: 3)
        writer.number(targetLatencyMicroseconds, at: 4)
        writer.number(wallClockUnixMicroseconds, at: 5)
        writer.flag(wallClockDoubtful, at: 6)
        writer.flag(stalled, at: 7)
        writer.number(utcOffsetS, at: 8)
    }
}

extension Proto {
    struct LoopPoints: Equatable, Sendable {
        var startMicroseconds: Int64 = 0
        var endMicroseconds: Int64 = 0
    }
}

extension Proto.LoopPoints: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.loopPoints) }

    init(reading reader: borrowing FieldReader) {
        startMicroseconds = reader.number(at: 1)
        endMicroseconds = reader.number(at: 2)
    }

    func write(to writer: inout FieldWriter) {
        writer.number(startMicroseconds, at: 1)
        writer.number(endMicroseconds, at: 2)
    }
}

extension Proto {
    struct RateRange: Equatable, Sendable {
        var min: Double = 0
        var max: Double = 0
    }
}

extension Proto.RateRange: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.rateRange) }

    init(reading reader: borrowing FieldReader) {
        min = reader.number(at: 1)
        max = reader.number(at: 2)
    }

    func write(to writer: inout FieldWriter) {
        writer.number(min, at: 1)
        writer.number(max, at: 2)
    }
}

extension Proto {
    struct CurrentChapter: Equatable, Sendable {
        var index: UInt32 = 0
    }
}

extension Proto.CurrentChapter: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.currentChapter) }

    init(reading reader: borrowing FieldReader) {
        index = reader.number(at: 1)
    }

    func write(to writer: inout FieldWriter) {
        writer.number(index, at: 1)
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
    static var layout: MessageLayout { MessageLayout(.statistics) }

    init(reading reader: borrowing FieldReader) {
        bytesRead = reader.number(at: 1)
        segmentsMade = reader.number(at: 2)
        segmentsServed = reader.number(at: 3)
        segmentsEvicted = reader.number(at: 4)
        cacheHits = reader.number(at: 5)
        productionSpeed = reader.number(at: 6)
        stalls = reader.number(at: 7)
        stallMicroseconds = reader.number(at: 8)
        droppedFrames = reader.number(at: 9)
        decodeMicroseconds = reader.number(at: 10)
        residentBytes = reader.number(at: 11)
        decodedFrames = reader.number(at: 12)
        decodeErrors = reader.number(at: 13)
        picturesInPlace = reader.number(at: 14)
        picturesCopied = reader.number(at: 15)
        httpRequests = reader.number(at: 16)
        httpRetries = reader.number(at: 17)
        httpBytes = reader.number(at: 18)
        httpRoundTripMicroseconds = reader.number(at: 19)
        httpBandwidth = reader.number(at: 20)
        httpCacheHits = reader.number(at: 21)
        httpDiskBytes = reader.number(at: 22)
        httpBandwidthFast = reader.number(at: 23)
        httpBandwidthSlow = reader.number(at: 24)
        streamRejoins = reader.number(at: 30)
        streamGaps = reader.number(at: 31)
        streamRepeatedBytes = reader.number(at: 32)
        streamContinuityErrors = reader.number(at: 33)
        streamTransportErrors = reader.number(at: 34)
    }

    func write(to writer: inout FieldWriter) {
        writer.number(bytesRead, at: 1)
        writer.number(segmentsMade, at: 2)
        writer.number(segmentsServed, at: 3)
        writer.number(segmentsEvicted, at: 4)
        writer.number(cacheHits, at: 5)
        writer.number(productionSpeed, at: 6)
        writer.number(stalls, at: 7)
        writer.number(stallMicroseconds, at: 8)
        writer.number(droppedFrames, at: 9)
        writer.number(decodeMicroseconds, at: 10)
        writer.number(residentBytes, at: 11)
        writer.number(decodedFrames, at: 12)
        writer.number(decodeErrors, at: 13)
        writer.number(picturesInPlace, at: 14)
        writer.number(picturesCopied, at: 15)
        writer.number(httpRequests, at: 16)
        writer.number(httpRetries, at: 17)
        writer.number(httpBytes, at: 18)
        writer.number(httpRoundTripMicroseconds, at: 19)
        writer.number(httpBandwidth, at: 20)
        writer.number(httpCacheHits, at: 21)
        writer.number(httpDiskBytes, at: 22)
        writer.number(httpBandwidthFast, at: 23)
        writer.number(httpBandwidthSlow, at: 24)
        writer.number(streamRejoins, at: 30)
        writer.number(streamGaps, at: 31)
        writer.number(streamRepeatedBytes, at: 32)
        writer.number(streamContinuityErrors, at: 33)
        writer.number(streamTransportErrors, at: 34)
    }
}

extension Proto {
    struct Renderer: Equatable, Sendable {
        var name: String = ""
    }
}

extension Proto.Renderer: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.renderer) }

    init(reading reader: borrowing FieldReader) {
        name = reader.text(at: 1)
    }

    func write(to writer: inout FieldWriter) {
        writer.text(name, at: 1)
    }
}

extension Proto {
    struct SelectedAudio: Equatable, Sendable {
        var streamIndex: UInt32 = 0
    }
}

extension Proto.SelectedAudio: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.selectedAudio) }

    init(reading reader: borrowing FieldReader) {
        streamIndex = reader.number(at: 1)
    }

    func write(to writer: inout FieldWriter) {
        writer.number(streamIndex, at: 1)
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
    static var layout: MessageLayout { MessageLayout(.position) }

    init(reading reader: borrowing FieldReader) {
        positionMicroseconds = reader.number(at: 1)
        rate = reader.number(at: 2)
        monotonicNanoseconds = reader.number(at: 3)
        requestedRate = reader.number(at: 4)
    }

    func write(to writer: inout FieldWriter) {
        writer.number(positionMicroseconds, at: 1)
        writer.number(rate, at: 2)
        writer.number(monotonicNanoseconds, at: 3)
        writer.number(requestedRate, at: 4)
    }
}

extension Proto {
    struct TimeRange: Equatable, Sendable {
        var startMicroseconds: Int64 = 0
        var endMicroseconds: Int64 = 0
    }
}

extension Proto.TimeRange: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.timeRange) }

    init(reading reader: borrowing FieldReader) {
        startMicroseconds = reader.number(at: 1)
        endMicroseconds = reader.number(at: 2)
    }

    func write(to writer: inout FieldWriter) {
        writer.number(startMicroseconds, at: 1)
        writer.number(endMicroseconds, at: 2)
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
    static var layout: MessageLayout { MessageLayout(.production) }

    init(reading reader: borrowing FieldReader) {
        plannedSegments = reader.number(at: 1)
        planComplete = reader.flag(at: 2)
        scanProgress = reader.number(at: 3)
        planOrigin = reader.text(at: 4)
        segmentsProduced = reader.number(at: 5)
        segmentsEvicted = reader.number(at: 6)
        cachedBytes = reader.number(at: 7)
        bytesProduced = reader.number(at: 8)
    }

    func write(to writer: inout FieldWriter) {
        writer.number(plannedSegments, at: 1)
        writer.flag(planComplete, at: 2)
        writer.number(scanProgress, at: 3)
        writer.text(planOrigin, at: 4)
        writer.number(segmentsProduced, at: 5)
        writer.number(segmentsEvicted, at: 6)
        writer.number(cachedBytes, at: 7)
        writer.number(bytesProduced, at: 8)
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
    static var layout: MessageLayout { MessageLayout(.notice) }

    init(reading reader: borrowing FieldReader) {
        severity = reader.choice(at: 1)
        code = reader.text(at: 2)
        message = reader.text(at: 3)
    }

    func write(to writer: inout FieldWriter) {
        writer.choice(severity, at: 1)
        writer.text(code, at: 2)
        writer.text(message, at: 3)
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
    static var layout: MessageLayout { MessageLayout(.errorInfo) }

    init(reading reader: borrowing FieldReader) {
        code = reader.text(at: 1)
        message = reader.text(at: 2)
        cause = reader.text(at: 3)
        field = reader.text(at: 4)
    }

    func write(to writer: inout FieldWriter) {
        writer.text(code, at: 1)
        writer.text(message, at: 2)
        writer.text(cause, at: 3)
        writer.text(field, at: 4)
    }
}
