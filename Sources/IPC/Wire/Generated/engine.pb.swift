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

extension Proto {
    struct Resuming: ProtobufEnum {
        var rawValue: UInt32

        static let unspecified = Self(rawValue: 0)
        static let on = Self(rawValue: 1)
        static let off = Self(rawValue: 2)
    }
}

extension Proto {
    struct BridgeMode: ProtobufEnum {
        var rawValue: UInt32

        static let unspecified = Self(rawValue: 0)
        static let surround = Self(rawValue: 1)
        static let lossless = Self(rawValue: 2)
    }
}

extension Proto {
    struct VideoBridge: ProtobufEnum {
        var rawValue: UInt32

        static let unspecified = Self(rawValue: 0)
        static let never = Self(rawValue: 1)
        static let whenNeeded = Self(rawValue: 2)
        static let always = Self(rawValue: 3)
    }
}

extension Proto {
    struct SeekMode: ProtobufEnum {
        var rawValue: UInt32

        static let unspecified = Self(rawValue: 0)
        static let exact = Self(rawValue: 1)
        static let keyframe = Self(rawValue: 2)
    }
}

extension Proto {
    struct AfterSeek: ProtobufEnum {
        var rawValue: UInt32

        static let unspecified = Self(rawValue: 0)
        static let play = Self(rawValue: 1)
        static let pause = Self(rawValue: 2)
    }
}

extension Proto {
    struct SeekPlace: ProtobufEnum {
        var rawValue: UInt32

        static let unspecified = Self(rawValue: 0)
        static let begin = Self(rawValue: 1)
        static let end = Self(rawValue: 2)
        static let live = Self(rawValue: 3)
    }
}

extension Proto {
    struct ChapterStep: ProtobufEnum {
        var rawValue: UInt32

        static let unspecified = Self(rawValue: 0)
        static let next = Self(rawValue: 1)
        static let previous = Self(rawValue: 2)
    }
}

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
    static var layout: MessageLayout { MessageLayout(.refreshSourceRequest) }

    init(reading reader: borrowing FieldReader) {
        sessionID = reader.text(at: 1)
        ifRevision = reader.number(at: 2)
        url = reader.text(at: 3)
        httpHeaders = reader.messages(at: 4)
        requestID = reader.text(at: 5)
        httpConnection = reader.message(at: 6)
    }

    func write(to writer: inout FieldWriter) {
        writer.text(sessionID, at: 1)
        writer.number(ifRevision, at: 2)
        writer.text(url, at: 3)
        writer.messages(httpHeaders, at: 4)
        writer.text(requestID, at: 5)
        writer.message(httpConnection, at: 6)
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
    static var layout: MessageLayout { MessageLayout(.selectProgramRequest) }

    init(reading reader: borrowing FieldReader) {
        sessionID = reader.text(at: 1)
        ifRevision = reader.number(at: 2)
        program = reader.message(at: 3)
        requestID = reader.text(at: 4)
    }

    func write(to writer: inout FieldWriter) {
        writer.text(sessionID, at: 1)
        writer.number(ifRevision, at: 2)
        writer.message(program, at: 3)
        writer.text(requestID, at: 4)
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
    static var layout: MessageLayout { MessageLayout(.startRecordingRequest) }

    init(reading reader: borrowing FieldReader) {
        sessionID = reader.text(at: 1)
        ifRevision = reader.number(at: 2)
        requestID = reader.text(at: 3)
        path = reader.text(at: 4)
        start = reader.message(at: 5)
    }

    func write(to writer: inout FieldWriter) {
        writer.text(sessionID, at: 1)
        writer.number(ifRevision, at: 2)
        writer.text(requestID, at: 3)
        writer.text(path, at: 4)
        writer.message(start, at: 5)
    }
}

extension Proto.StartRecordingRequest: CommandMessage {}

extension Proto {
    struct RecordingStart: Equatable, Sendable {
        var positionMicroseconds: Int64 = 0
    }
}

extension Proto.RecordingStart: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.recordingStart) }

    init(reading reader: borrowing FieldReader) {
        positionMicroseconds = reader.number(at: 1)
    }

    func write(to writer: inout FieldWriter) {
        writer.number(positionMicroseconds, at: 1)
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
    static var layout: MessageLayout { MessageLayout(.loadRequest) }

    init(reading reader: borrowing FieldReader) {
        source = reader.text(at: 1)
        startPositionMicroseconds = reader.number(at: 2)
        options = reader.message(at: 3)
        sessionID = reader.text(at: 4)
        httpHeaders = reader.messages(at: 5)
        requestID = reader.text(at: 6)
        subtitleFiles = reader.messages(at: 7)
        httpConnection = reader.message(at: 8)
    }

    func write(to writer: inout FieldWriter) {
        writer.text(source, at: 1)
        writer.number(startPositionMicroseconds, at: 2)
        writer.message(options, at: 3)
        writer.text(sessionID, at: 4)
        writer.messages(httpHeaders, at: 5)
        writer.text(requestID, at: 6)
        writer.messages(subtitleFiles, at: 7)
        writer.message(httpConnection, at: 8)
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
        var videoBridgeCodec: String = ""
        var videoBridgeLines: UInt32 = 0
        var videoBridgeHardware: Bool = false
    }
}

extension Proto.LoadOptions: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.loadOptions) }

    init(reading reader: borrowing FieldReader) {
        segmentTargetMicroseconds = reader.number(at: 1)
        autoplay = reader.flag(at: 2)
        profile = reader.text(at: 3)
        customProfile = reader.message(at: 4)
        bridgeMode = reader.choice(at: 5)
        withoutDolbyVision = reader.flag(at: 6)
        audio = reader.message(at: 7)
        timeouts = reader.messages(at: 8)
        rateRange = reader.message(at: 9)
        subtitles = reader.message(at: 10)
        preserveASS = reader.flag(at: 11)
        deinterlacing = reader.choice(at: 12)
        findSubtitles = reader.choice(at: 13)
        resuming = reader.choice(at: 14)
        variants = reader.message(at: 20)
        program = reader.message(at: 15)
        title = reader.number(at: 22)
        angle = reader.number(at: 23)
        dvrWindowMicroseconds = reader.number(at: 24)
        dvrBytes = reader.number(at: 25)
        chase = reader.choice(at: 26)
        videoBridge = reader.choice(at: 27)
        ladder = reader.numbers(at: 28)
        burn = reader.message(at: 29)
        drawSubtitles = reader.flag(at: 30)
        lowLatency = reader.flag(at: 31)
        sound = reader.message(at: 32)
        videoBridgeCodec = reader.text(at: 33)
        videoBridgeLines = reader.number(at: 34)
        videoBridgeHardware = reader.flag(at: 35)
    }

    func write(to writer: inout FieldWriter) {
        writer.number(segmentTargetMicroseconds, at: 1)
        writer.flag(autoplay, at: 2)
        writer.text(profile, at: 3)
        writer.message(customProfile, at: 4)
        writer.choice(bridgeMode, at: 5)
        writer.flag(withoutDolbyVision, at: 6)
        writer.message(audio, at: 7)
        writer.messages(timeouts, at: 8)
        writer.message(rateRange, at: 9)
        writer.message(subtitles, at: 10)
        writer.flag(preserveASS, at: 11)
        writer.choice(deinterlacing, at: 12)
        writer.choice(findSubtitles, at: 13)
        writer.choice(resuming, at: 14)
        writer.message(variants, at: 20)
        writer.message(program, at: 15)
        writer.number(title, at: 22)
        writer.number(angle, at: 23)
        writer.number(dvrWindowMicroseconds, at: 24)
        writer.number(dvrBytes, at: 25)
        writer.choice(chase, at: 26)
        writer.choice(videoBridge, at: 27)
        writer.numbers(ladder, at: 28)
        writer.message(burn, at: 29)
        writer.flag(drawSubtitles, at: 30)
        writer.flag(lowLatency, at: 31)
        writer.message(sound, at: 32)
        writer.text(videoBridgeCodec, at: 33)
        writer.number(videoBridgeLines, at: 34)
        writer.flag(videoBridgeHardware, at: 35)
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
    static var layout: MessageLayout { MessageLayout(.soundTreatment) }

    init(reading reader: borrowing FieldReader) {
        nightMode = reader.flag(at: 1)
        dialogueDb = reader.number(at: 2)
        loudnessLufs = reader.number(at: 3)
    }

    func write(to writer: inout FieldWriter) {
        writer.flag(nightMode, at: 1)
        writer.number(dialogueDb, at: 2)
        writer.number(loudnessLufs, at: 3)
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
    static var layout: MessageLayout { MessageLayout(.burnedSubtitles) }

    init(reading reader: borrowing FieldReader) {
        if reader.isSet(at: 1) {
            choice = Choice.track(reader.number(at: 1))
        } else if reader.isSet(at: 2) {
            choice = Choice.number(reader.number(at: 2))
        } else if reader.isSet(at: 3) {
            choice = Choice.language(reader.text(at: 3))
        }
    }

    func write(to writer: inout FieldWriter) {
        switch choice {
        case .track(let value): writer.number(value, at: 1)
        case .number(let value): writer.number(value, at: 2)
        case .language(let value): writer.text(value, at: 3)
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
    static var layout: MessageLayout { MessageLayout(.variantSelection) }

    init(reading reader: borrowing FieldReader) {
        maxHeight = reader.number(at: 4)
        maxBandwidth = reader.number(at: 5)
        if reader.isSet(at: 1) {
            wanted = Wanted.index(reader.number(at: 1))
        } else if reader.isSet(at: 2) {
            wanted = Wanted.bandwidth(reader.number(at: 2))
        } else if reader.isSet(at: 3) {
            wanted = Wanted.name(reader.text(at: 3))
        }
    }

    func write(to writer: inout FieldWriter) {
        writer.number(maxHeight, at: 4)
        writer.number(maxBandwidth, at: 5)
        switch wanted {
        case .index(let value): writer.number(value, at: 1)
        case .bandwidth(let value): writer.number(value, at: 2)
        case .name(let value): writer.text(value, at: 3)
        case nil: break
        }
    }
}

extension Proto {
    struct ListHistoryRequest: Equatable, Sendable {
    }
}

extension Proto.ListHistoryRequest: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.listHistoryRequest) }

    init(reading reader: borrowing FieldReader) {
    }

    func write(to writer: inout FieldWriter) {
    }
}

extension Proto {
    struct ListHistoryResponse: Equatable, Sendable {
        var entries: [Proto.HistoryEntry] = []
    }
}

extension Proto.ListHistoryResponse: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.listHistoryResponse) }

    init(reading reader: borrowing FieldReader) {
        entries = reader.messages(at: 1)
    }

    func write(to writer: inout FieldWriter) {
        writer.messages(entries, at: 1)
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
    static var layout: MessageLayout { MessageLayout(.historyEntry) }

    init(reading reader: borrowing FieldReader) {
        source = reader.text(at: 1)
        positionMicroseconds = reader.number(at: 2)
        durationMicroseconds = reader.number(at: 3)
        finished = reader.flag(at: 4)
        playedUnixMicroseconds = reader.number(at: 5)
    }

    func write(to writer: inout FieldWriter) {
        writer.text(source, at: 1)
        writer.number(positionMicroseconds, at: 2)
        writer.number(durationMicroseconds, at: 3)
        writer.flag(finished, at: 4)
        writer.number(playedUnixMicroseconds, at: 5)
    }
}

extension Proto {
    struct ClearHistoryRequest: Equatable, Sendable {
        var source: String = ""
    }
}

extension Proto.ClearHistoryRequest: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.clearHistoryRequest) }

    init(reading reader: borrowing FieldReader) {
        source = reader.text(at: 1)
    }

    func write(to writer: inout FieldWriter) {
        writer.text(source, at: 1)
    }
}

extension Proto {
    struct ClearHistoryResponse: Equatable, Sendable {
        var removed: UInt32 = 0
    }
}

extension Proto.ClearHistoryResponse: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.clearHistoryResponse) }

    init(reading reader: borrowing FieldReader) {
        removed = reader.number(at: 1)
    }

    func write(to writer: inout FieldWriter) {
        writer.number(removed, at: 1)
    }
}

extension Proto {
    struct GetSourceCacheRequest: Equatable, Sendable {
    }
}

extension Proto.GetSourceCacheRequest: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.getSourceCacheRequest) }

    init(reading reader: borrowing FieldReader) {
    }

    func write(to writer: inout FieldWriter) {
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
    static var layout: MessageLayout { MessageLayout(.sourceCache) }

    init(reading reader: borrowing FieldReader) {
        memoryBytes = reader.number(at: 1)
        memoryLimitBytes = reader.number(at: 2)
        diskBytes = reader.number(at: 3)
        diskLimitBytes = reader.number(at: 4)
        directory = reader.text(at: 5)
        problem = reader.text(at: 6)
        sources = reader.messages(at: 7)
    }

    func write(to writer: inout FieldWriter) {
        writer.number(memoryBytes, at: 1)
        writer.number(memoryLimitBytes, at: 2)
        writer.number(diskBytes, at: 3)
        writer.number(diskLimitBytes, at: 4)
        writer.text(directory, at: 5)
        writer.text(problem, at: 6)
        writer.messages(sources, at: 7)
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
    static var layout: MessageLayout { MessageLayout(.cachedSource) }

    init(reading reader: borrowing FieldReader) {
        url = reader.text(at: 1)
        byteCount = reader.number(at: 2)
        memoryBytes = reader.number(at: 3)
        diskBytes = reader.number(at: 4)
        lastUseUnixMicroseconds = reader.number(at: 5)
        inUse = reader.flag(at: 6)
    }

    func write(to writer: inout FieldWriter) {
        writer.text(url, at: 1)
        writer.number(byteCount, at: 2)
        writer.number(memoryBytes, at: 3)
        writer.number(diskBytes, at: 4)
        writer.number(lastUseUnixMicroseconds, at: 5)
        writer.flag(inUse, at: 6)
    }
}

extension Proto {
    struct ClearSourceCacheRequest: Equatable, Sendable {
        var source: String = ""
    }
}

extension Proto.ClearSourceCacheRequest: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.clearSourceCacheRequest) }

    init(reading reader: borrowing FieldReader) {
        source = reader.text(at: 1)
    }

    func write(to writer: inout FieldWriter) {
        writer.text(source, at: 1)
    }
}

extension Proto {
    struct ClearSourceCacheResponse: Equatable, Sendable {
        var sources: UInt32 = 0
        var bytes: UInt64 = 0
    }
}

extension Proto.ClearSourceCacheResponse: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.clearSourceCacheResponse) }

    init(reading reader: borrowing FieldReader) {
        sources = reader.number(at: 1)
        bytes = reader.number(at: 2)
    }

    func write(to writer: inout FieldWriter) {
        writer.number(sources, at: 1)
        writer.number(bytes, at: 2)
    }
}

extension Proto {
    struct PhaseTimeout: Equatable, Sendable {
        var phase: Proto.Phase = Proto.Phase(rawValue: 0)
        var timeoutMicroseconds: Int64 = 0
    }
}

extension Proto.PhaseTimeout: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.phaseTimeout) }

    init(reading reader: borrowing FieldReader) {
        phase = reader.choice(at: 1)
        timeoutMicroseconds = reader.number(at: 2)
    }

    func write(to writer: inout FieldWriter) {
        writer.choice(phase, at: 1)
        writer.number(timeoutMicroseconds, at: 2)
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
        var videoBridges: [String] = []
    }
}

extension Proto.PlayerProfile: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.playerProfile) }

    init(reading reader: borrowing FieldReader) {
        formats = reader.texts(at: 1)
        dolbyVision = reader.texts(at: 2)
        bitDepths = reader.messages(at: 3)
        fullChroma = reader.flag(at: 4)
        progressiveOnly = reader.flag(at: 5)
        maxChannels = reader.number(at: 6)
        stereoBridges = reader.texts(at: 7)
        surroundBridges = reader.texts(at: 8)
        videoBridges = reader.texts(at: 9)
    }

    func write(to writer: inout FieldWriter) {
        writer.texts(formats, at: 1)
        writer.texts(dolbyVision, at: 2)
        writer.messages(bitDepths, at: 3)
        writer.flag(fullChroma, at: 4)
        writer.flag(progressiveOnly, at: 5)
        writer.number(maxChannels, at: 6)
        writer.texts(stereoBridges, at: 7)
        writer.texts(surroundBridges, at: 8)
        writer.texts(videoBridges, at: 9)
    }
}

extension Proto {
    struct BitDepth: Equatable, Sendable {
        var format: String = ""
        var bits: UInt32 = 0
    }
}

extension Proto.BitDepth: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.bitDepth) }

    init(reading reader: borrowing FieldReader) {
        format = reader.text(at: 1)
        bits = reader.number(at: 2)
    }

    func write(to writer: inout FieldWriter) {
        writer.text(format, at: 1)
        writer.number(bits, at: 2)
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
    static var layout: MessageLayout { MessageLayout(.audioSelection) }

    init(reading reader: borrowing FieldReader) {
        if reader.isSet(at: 1) {
            wanted = Wanted.streamIndex(reader.number(at: 1))
        } else if reader.isSet(at: 2) {
            wanted = reader.message(at: 2).map(Wanted.languages)
        }
    }

    func write(to writer: inout FieldWriter) {
        switch wanted {
        case .streamIndex(let value): writer.number(value, at: 1)
        case .languages(let value): writer.message(value, at: 2)
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
    static var layout: MessageLayout { MessageLayout(.languageList) }

    init(reading reader: borrowing FieldReader) {
        languages = reader.texts(at: 1)
    }

    func write(to writer: inout FieldWriter) {
        writer.texts(languages, at: 1)
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
    static var layout: MessageLayout { MessageLayout(.subtitleSelection) }

    init(reading reader: borrowing FieldReader) {
        if reader.isSet(at: 1) {
            wanted = reader.message(at: 1).map(Wanted.tracks)
        } else if reader.isSet(at: 2) {
            wanted = reader.message(at: 2).map(Wanted.languages)
        }
    }

    func write(to writer: inout FieldWriter) {
        switch wanted {
        case .tracks(let value): writer.message(value, at: 1)
        case .languages(let value): writer.message(value, at: 2)
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
    static var layout: MessageLayout { MessageLayout(.subtitleTrackList) }

    init(reading reader: borrowing FieldReader) {
        ids = reader.numbers(at: 1)
    }

    func write(to writer: inout FieldWriter) {
        writer.numbers(ids, at: 1)
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
    static var layout: MessageLayout { MessageLayout(.loadResponse) }

    init(reading reader: borrowing FieldReader) {
        sessionID = reader.text(at: 1)
        url = reader.text(at: 2)
        state = reader.message(at: 3)
    }

    func write(to writer: inout FieldWriter) {
        writer.text(sessionID, at: 1)
        writer.text(url, at: 2)
        writer.message(state, at: 3)
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
    static var layout: MessageLayout { MessageLayout(.sessionRequest) }

    init(reading reader: borrowing FieldReader) {
        sessionID = reader.text(at: 1)
        ifRevision = reader.number(at: 2)
        requestID = reader.text(at: 3)
    }

    func write(to writer: inout FieldWriter) {
        writer.text(sessionID, at: 1)
        writer.number(ifRevision, at: 2)
        writer.text(requestID, at: 3)
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
    static var layout: MessageLayout { MessageLayout(.seekRequest) }

    init(reading reader: borrowing FieldReader) {
        sessionID = reader.text(at: 1)
        ifRevision = reader.number(at: 2)
        positionMicroseconds = reader.number(at: 3)
        relative = reader.flag(at: 4)
        requestID = reader.text(at: 5)
        mode = reader.choice(at: 6)
        after = reader.choice(at: 7)
        place = reader.choice(at: 8)
    }

    func write(to writer: inout FieldWriter) {
        writer.text(sessionID, at: 1)
        writer.number(ifRevision, at: 2)
        writer.number(positionMicroseconds, at: 3)
        writer.flag(relative, at: 4)
        writer.text(requestID, at: 5)
        writer.choice(mode, at: 6)
        writer.choice(after, at: 7)
        writer.choice(place, at: 8)
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
    static var layout: MessageLayout { MessageLayout(.setRateRequest) }

    init(reading reader: borrowing FieldReader) {
        sessionID = reader.text(at: 1)
        ifRevision = reader.number(at: 2)
        rate = reader.number(at: 3)
        requestID = reader.text(at: 4)
    }

    func write(to writer: inout FieldWriter) {
        writer.text(sessionID, at: 1)
        writer.number(ifRevision, at: 2)
        writer.number(rate, at: 3)
        writer.text(requestID, at: 4)
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
    static var layout: MessageLayout { MessageLayout(.setVolumeRequest) }

    init(reading reader: borrowing FieldReader) {
        sessionID = reader.text(at: 1)
        ifRevision = reader.number(at: 2)
        volume = reader.number(at: 3)
        requestID = reader.text(at: 4)
    }

    func write(to writer: inout FieldWriter) {
        writer.text(sessionID, at: 1)
        writer.number(ifRevision, at: 2)
        writer.number(volume, at: 3)
        writer.text(requestID, at: 4)
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
    static var layout: MessageLayout { MessageLayout(.setMutedRequest) }

    init(reading reader: borrowing FieldReader) {
        sessionID = reader.text(at: 1)
        ifRevision = reader.number(at: 2)
        muted = reader.flag(at: 3)
        requestID = reader.text(at: 4)
    }

    func write(to writer: inout FieldWriter) {
        writer.text(sessionID, at: 1)
        writer.number(ifRevision, at: 2)
        writer.flag(muted, at: 3)
        writer.text(requestID, at: 4)
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
    static var layout: MessageLayout { MessageLayout(.setLoopingRequest) }

    init(reading reader: borrowing FieldReader) {
        sessionID = reader.text(at: 1)
        ifRevision = reader.number(at: 2)
        looping = reader.flag(at: 3)
        requestID = reader.text(at: 4)
    }

    func write(to writer: inout FieldWriter) {
        writer.text(sessionID, at: 1)
        writer.number(ifRevision, at: 2)
        writer.flag(looping, at: 3)
        writer.text(requestID, at: 4)
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
    static var layout: MessageLayout { MessageLayout(.setLoopPointsRequest) }

    init(reading reader: borrowing FieldReader) {
        sessionID = reader.text(at: 1)
        ifRevision = reader.number(at: 2)
        loopPoints = reader.message(at: 3)
        requestID = reader.text(at: 4)
    }

    func write(to writer: inout FieldWriter) {
        writer.text(sessionID, at: 1)
        writer.number(ifRevision, at: 2)
        writer.message(loopPoints, at: 3)
        writer.text(requestID, at: 4)
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
    static var layout: MessageLayout { MessageLayout(.stepFrameRequest) }

    init(reading reader: borrowing FieldReader) {
        sessionID = reader.text(at: 1)
        ifRevision = reader.number(at: 2)
        frames = reader.number(at: 3)
        requestID = reader.text(at: 4)
    }

    func write(to writer: inout FieldWriter) {
        writer.text(sessionID, at: 1)
        writer.number(ifRevision, at: 2)
        writer.number(frames, at: 3)
        writer.text(requestID, at: 4)
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
    static var layout: MessageLayout { MessageLayout(.setAudioDelayRequest) }

    init(reading reader: borrowing FieldReader) {
        sessionID = reader.text(at: 1)
        ifRevision = reader.number(at: 2)
        delayMicroseconds = reader.number(at: 3)
        requestID = reader.text(at: 4)
    }

    func write(to writer: inout FieldWriter) {
        writer.text(sessionID, at: 1)
        writer.number(ifRevision, at: 2)
        writer.number(delayMicroseconds, at: 3)
        writer.text(requestID, at: 4)
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
    static var layout: MessageLayout { MessageLayout(.setSubtitleDelayRequest) }

    init(reading reader: borrowing FieldReader) {
        sessionID = reader.text(at: 1)
        ifRevision = reader.number(at: 2)
        delayMicroseconds = reader.number(at: 3)
        requestID = reader.text(at: 4)
    }

    func write(to writer: inout FieldWriter) {
        writer.text(sessionID, at: 1)
        writer.number(ifRevision, at: 2)
        writer.number(delayMicroseconds, at: 3)
        writer.text(requestID, at: 4)
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
    static var layout: MessageLayout { MessageLayout(.skipChapterRequest) }

    init(reading reader: borrowing FieldReader) {
        sessionID = reader.text(at: 1)
        ifRevision = reader.number(at: 2)
        step = reader.choice(at: 3)
        requestID = reader.text(at: 4)
    }

    func write(to writer: inout FieldWriter) {
        writer.text(sessionID, at: 1)
        writer.number(ifRevision, at: 2)
        writer.choice(step, at: 3)
        writer.text(requestID, at: 4)
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
    static var layout: MessageLayout { MessageLayout(.selectAudioRequest) }

    init(reading reader: borrowing FieldReader) {
        sessionID = reader.text(at: 1)
        ifRevision = reader.number(at: 2)
        audio = reader.message(at: 3)
        requestID = reader.text(at: 4)
    }

    func write(to writer: inout FieldWriter) {
        writer.text(sessionID, at: 1)
        writer.number(ifRevision, at: 2)
        writer.message(audio, at: 3)
        writer.text(requestID, at: 4)
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
    static var layout: MessageLayout { MessageLayout(.selectSubtitlesRequest) }

    init(reading reader: borrowing FieldReader) {
        sessionID = reader.text(at: 1)
        ifRevision = reader.number(at: 2)
        subtitles = reader.message(at: 3)
        requestID = reader.text(at: 4)
    }

    func write(to writer: inout FieldWriter) {
        writer.text(sessionID, at: 1)
        writer.number(ifRevision, at: 2)
        writer.message(subtitles, at: 3)
        writer.text(requestID, at: 4)
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
    static var layout: MessageLayout { MessageLayout(.commandResponse) }

    init(reading reader: borrowing FieldReader) {
        sessionID = reader.text(at: 1)
        revision = reader.number(at: 2)
        state = reader.message(at: 3)
        clamped = reader.flag(at: 4)
        seekID = reader.number(at: 5)
        addedSubtitles = reader.numbers(at: 6)
        addedFilter = reader.number(at: 7)
    }

    func write(to writer: inout FieldWriter) {
        writer.text(sessionID, at: 1)
        writer.number(revision, at: 2)
        writer.message(state, at: 3)
        writer.flag(clamped, at: 4)
        writer.number(seekID, at: 5)
        writer.numbers(addedSubtitles, at: 6)
        writer.number(addedFilter, at: 7)
    }
}

extension Proto {
    struct ListSessionsRequest: Equatable, Sendable {
    }
}

extension Proto.ListSessionsRequest: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.listSessionsRequest) }

    init(reading reader: borrowing FieldReader) {
    }

    func write(to writer: inout FieldWriter) {
    }
}

extension Proto {
    struct ListSessionsResponse: Equatable, Sendable {
        var sessions: [Proto.SessionState] = []
        var defaultSessionID: String = ""
    }
}

extension Proto.ListSessionsResponse: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.listSessionsResponse) }

    init(reading reader: borrowing FieldReader) {
        sessions = reader.messages(at: 1)
        defaultSessionID = reader.text(at: 2)
    }

    func write(to writer: inout FieldWriter) {
        writer.messages(sessions, at: 1)
        writer.text(defaultSessionID, at: 2)
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
    static var layout: MessageLayout { MessageLayout(.probeRequest) }

    init(reading reader: borrowing FieldReader) {
        source = reader.text(at: 1)
        options = reader.message(at: 2)
        httpHeaders = reader.messages(at: 3)
        httpConnection = reader.message(at: 4)
    }

    func write(to writer: inout FieldWriter) {
        writer.text(source, at: 1)
        writer.message(options, at: 2)
        writer.messages(httpHeaders, at: 3)
        writer.message(httpConnection, at: 4)
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
    static var layout: MessageLayout { MessageLayout(.watchRequest) }

    init(reading reader: borrowing FieldReader) {
        sessionID = reader.text(at: 1)
        allSessions = reader.flag(at: 2)
        timeIntervalMicroseconds = reader.number(at: 3)
        fields = reader.choices(at: 4)
        batchIntervalMicroseconds = reader.number(at: 5)
        withoutCues = reader.flag(at: 6)
        cueLeadMicroseconds = reader.number(at: 7)
    }

    func write(to writer: inout FieldWriter) {
        writer.text(sessionID, at: 1)
        writer.flag(allSessions, at: 2)
        writer.number(timeIntervalMicroseconds, at: 3)
        writer.choices(fields, at: 4)
        writer.number(batchIntervalMicroseconds, at: 5)
        writer.flag(withoutCues, at: 6)
        writer.number(cueLeadMicroseconds, at: 7)
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
    static var layout: MessageLayout { MessageLayout(.watchEvent) }

    init(reading reader: borrowing FieldReader) {
        sessionID = reader.text(at: 1)
        revision = reader.number(at: 2)
        if reader.isSet(at: 3) {
            event = reader.message(at: 3).map(Event.snapshot)
        } else if reader.isSet(at: 4) {
            event = reader.message(at: 4).map(Event.delta)
        } else if reader.isSet(at: 5) {
            event = reader.message(at: 5).map(Event.time)
        } else if reader.isSet(at: 6) {
            event = reader.message(at: 6).map(Event.notice)
        } else if reader.isSet(at: 7) {
            event = reader.message(at: 7).map(Event.gap)
        } else if reader.isSet(at: 8) {
            event = reader.message(at: 8).map(Event.closed)
        } else if reader.isSet(at: 9) {
            event = reader.message(at: 9).map(Event.seek)
        } else if reader.isSet(at: 10) {
            event = reader.message(at: 10).map(Event.batch)
        } else if reader.isSet(at: 11) {
            event = reader.message(at: 11).map(Event.cue)
        }
    }

    func write(to writer: inout FieldWriter) {
        writer.text(sessionID, at: 1)
        writer.number(revision, at: 2)
        switch event {
        case .snapshot(let value): writer.message(value, at: 3)
        case .delta(let value): writer.message(value, at: 4)
        case .time(let value): writer.message(value, at: 5)
        case .notice(let value): writer.message(value, at: 6)
        case .gap(let value): writer.message(value, at: 7)
        case .closed(let value): writer.message(value, at: 8)
        case .seek(let value): writer.message(value, at: 9)
        case .batch(let value): writer.message(value, at: 10)
        case .cue(let value): writer.message(value, at: 11)
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
    static var layout: MessageLayout { MessageLayout(.eventBatch) }

    init(reading reader: borrowing FieldReader) {
        events = reader.messages(at: 1)
    }

    func write(to writer: inout FieldWriter) {
        writer.messages(events, at: 1)
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
    static var layout: MessageLayout { MessageLayout(.seekEvent) }

    init(reading reader: borrowing FieldReader) {
        id = reader.number(at: 1)
        stage = reader.choice(at: 2)
        targetMicroseconds = reader.number(at: 3)
    }

    func write(to writer: inout FieldWriter) {
        writer.number(id, at: 1)
        writer.choice(stage, at: 2)
        writer.number(targetMicroseconds, at: 3)
    }
}

extension Proto {
    struct StateDelta: Equatable, Sendable {
        var fields: [Proto.StateField] = []
        var state: Proto.SessionState?
    }
}

extension Proto.StateDelta: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.stateDelta) }

    init(reading reader: borrowing FieldReader) {
        fields = reader.choices(at: 1)
        state = reader.message(at: 2)
    }

    func write(to writer: inout FieldWriter) {
        writer.choices(fields, at: 1)
        writer.message(state, at: 2)
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
    static var layout: MessageLayout { MessageLayout(.timeEvent) }

    init(reading reader: borrowing FieldReader) {
        positionMicroseconds = reader.number(at: 1)
        rate = reader.number(at: 2)
        monotonicNanoseconds = reader.number(at: 3)
    }

    func write(to writer: inout FieldWriter) {
        writer.number(positionMicroseconds, at: 1)
        writer.number(rate, at: 2)
        writer.number(monotonicNanoseconds, at: 3)
    }
}

extension Proto {
    struct Gap: Equatable, Sendable {
        var dropped: UInt32 = 0
    }
}

extension Proto.Gap: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.gap) }

    init(reading reader: borrowing FieldReader) {
        dropped = reader.number(at: 1)
    }

    func write(to writer: inout FieldWriter) {
        writer.number(dropped, at: 1)
    }
}

extension Proto {
    struct SessionClosed: Equatable, Sendable {
        var error: Proto.ErrorInfo?
    }
}

extension Proto.SessionClosed: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.sessionClosed) }

    init(reading reader: borrowing FieldReader) {
        error = reader.message(at: 1)
    }

    func write(to writer: inout FieldWriter) {
        writer.message(error, at: 1)
    }
}

extension Proto {
    struct SegmentChunk: Equatable, Sendable {
        var data: [UInt8] = []
    }
}

extension Proto.SegmentChunk: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.segmentChunk) }

    init(reading reader: borrowing FieldReader) {
        data = reader.data(at: 1)
    }

    func write(to writer: inout FieldWriter) {
        writer.data(data, at: 1)
    }
}

extension Proto {
    struct SegmentReport: Equatable, Sendable {
        var tracks: [Proto.SegmentTrack] = []
        var problems: [String] = []
    }
}

extension Proto.SegmentReport: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.segmentReport) }

    init(reading reader: borrowing FieldReader) {
        tracks = reader.messages(at: 1)
        problems = reader.texts(at: 2)
    }

    func write(to writer: inout FieldWriter) {
        writer.messages(tracks, at: 1)
        writer.texts(problems, at: 2)
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
    static var layout: MessageLayout { MessageLayout(.segmentTrack) }

    init(reading reader: borrowing FieldReader) {
        codec = reader.text(at: 1)
        packets = reader.number(at: 2)
        decodedFrames = reader.number(at: 3)
        decodeErrors = reader.number(at: 4)
        startMicroseconds = reader.number(at: 5)
        endMicroseconds = reader.number(at: 6)
        startsWithKeyframe = reader.flag(at: 7)
    }

    func write(to writer: inout FieldWriter) {
        writer.text(codec, at: 1)
        writer.number(packets, at: 2)
        writer.number(decodedFrames, at: 3)
        writer.number(decodeErrors, at: 4)
        writer.number(startMicroseconds, at: 5)
        writer.number(endMicroseconds, at: 6)
        writer.flag(startsWithKeyframe, at: 7)
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
    static var layout: MessageLayout { MessageLayout(.renderRequest) }

    init(reading reader: borrowing FieldReader) {
        if reader.isSet(at: 1) {
            request = reader.message(at: 1).map(Request.attach)
        } else if reader.isSet(at: 2) {
            request = reader.message(at: 2).map(Request.report)
        }
    }

    func write(to writer: inout FieldWriter) {
        switch request {
        case .attach(let value): writer.message(value, at: 1)
        case .report(let value): writer.message(value, at: 2)
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
    static var layout: MessageLayout { MessageLayout(.attachRenderer) }

    init(reading reader: borrowing FieldReader) {
        sessionID = reader.text(at: 1)
        name = reader.text(at: 2)
        replace = reader.flag(at: 3)
    }

    func write(to writer: inout FieldWriter) {
        writer.text(sessionID, at: 1)
        writer.text(name, at: 2)
        writer.flag(replace, at: 3)
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
    static var layout: MessageLayout { MessageLayout(.rendererReport) }

    init(reading reader: borrowing FieldReader) {
        positionMicroseconds = reader.number(at: 1)
        rate = reader.number(at: 2)
        buffering = reader.flag(at: 3)
        ended = reader.flag(at: 4)
        seekID = reader.number(at: 5)
        buffered = reader.messages(at: 6)
        droppedFrames = reader.number(at: 7)
        lastCommand = reader.number(at: 8)
    }

    func write(to writer: inout FieldWriter) {
        writer.number(positionMicroseconds, at: 1)
        writer.number(rate, at: 2)
        writer.flag(buffering, at: 3)
        writer.flag(ended, at: 4)
        writer.number(seekID, at: 5)
        writer.messages(buffered, at: 6)
        writer.number(droppedFrames, at: 7)
        writer.number(lastCommand, at: 8)
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
    static var layout: MessageLayout { MessageLayout(.renderCommand) }

    init(reading reader: borrowing FieldReader) {
        number = reader.number(at: 1)
        if reader.isSet(at: 2) {
            command = reader.message(at: 2).map(Command.load)
        } else if reader.isSet(at: 3) {
            command = reader.message(at: 3).map(Command.play)
        } else if reader.isSet(at: 4) {
            command = reader.message(at: 4).map(Command.pause)
        } else if reader.isSet(at: 5) {
            command = reader.message(at: 5).map(Command.seek)
        } else if reader.isSet(at: 6) {
            command = Command.rate(reader.number(at: 6))
        } else if reader.isSet(at: 7) {
            command = Command.volume(reader.number(at: 7))
        } else if reader.isSet(at: 8) {
            command = Command.muted(reader.flag(at: 8))
        } else if reader.isSet(at: 9) {
            command = reader.message(at: 9).map(Command.stop)
        }
    }

    func write(to writer: inout FieldWriter) {
        writer.number(number, at: 1)
        switch command {
        case .load(let value): writer.message(value, at: 2)
        case .play(let value): writer.message(value, at: 3)
        case .pause(let value): writer.message(value, at: 4)
        case .seek(let value): writer.message(value, at: 5)
        case .rate(let value): writer.number(value, at: 6)
        case .volume(let value): writer.number(value, at: 7)
        case .muted(let value): writer.flag(value, at: 8)
        case .stop(let value): writer.message(value, at: 9)
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
    static var layout: MessageLayout { MessageLayout(.renderLoad) }

    init(reading reader: borrowing FieldReader) {
        url = reader.text(at: 1)
        positionMicroseconds = reader.number(at: 2)
    }

    func write(to writer: inout FieldWriter) {
        writer.text(url, at: 1)
        writer.number(positionMicroseconds, at: 2)
    }
}

extension Proto {
    struct RenderPlay: Equatable, Sendable {
    }
}

extension Proto.RenderPlay: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.renderPlay) }

    init(reading reader: borrowing FieldReader) {
    }

    func write(to writer: inout FieldWriter) {
    }
}

extension Proto {
    struct RenderPause: Equatable, Sendable {
    }
}

extension Proto.RenderPause: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.renderPause) }

    init(reading reader: borrowing FieldReader) {
    }

    func write(to writer: inout FieldWriter) {
    }
}

extension Proto {
    struct RenderSeek: Equatable, Sendable {
        var id: UInt64 = 0
        var positionMicroseconds: Int64 = 0
    }
}

extension Proto.RenderSeek: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.renderSeek) }

    init(reading reader: borrowing FieldReader) {
        id = reader.number(at: 1)
        positionMicroseconds = reader.number(at: 2)
    }

    func write(to writer: inout FieldWriter) {
        writer.number(id, at: 1)
        writer.number(positionMicroseconds, at: 2)
    }
}

extension Proto {
    struct RenderStop: Equatable, Sendable {
    }
}

extension Proto.RenderStop: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.renderStop) }

    init(reading reader: borrowing FieldReader) {
    }

    func write(to writer: inout FieldWriter) {
    }
}
