// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Foundation

/// The journal as JSON. An `Entry` is one session, as a row of the database holds it; a whole `JournalJSON` is the file
/// that older engines wrote.
struct JournalJSON: Codable, Equatable {
    static let currentVersion = 1

    var version = currentVersion
    /// The port of the HLS server, which is part of the sessions' URLs.
    var httpPort: Int
    var sessions: [Entry]

    struct Entry: Codable, Equatable {
        var id: String
        var token: String
        var source: String
        var startPosition: Int64
        var options: Options
        var position: Int64
        var rate: Double
        var volume: Double?
        var muted: Bool?
        var looping: Bool?
        /// Start and end in microseconds; only the start if no end was set.
        var loopPoints: [Int64]?
        var audioDelay: Int64?
        var subtitleDelay: Int64?
        var pictures: Pictures?
        var httpHeaders: [Header]?
        var httpConnection: HTTPConnectionOptions?
        var isPlaying: Bool
        var rest: String?
        var audio: Audio?
        var path: String?
        var sidecars: [Sidecar]?
        var revision: UInt64
        var announcedSegments: Int
        var sealedTargetDuration: Int?
        var recording: String?
        var sourceVersion: SourceVersion?
        /// Whether the session has a slot, which may hold a later state of the player. `nil`: no.
        var slot: Bool?
    }

    struct Header: Codable, Equatable {
        var name: String
        var value: String
    }

    /// If both are `nil`, the engine selects the audio automatically.
    struct Audio: Codable, Equatable {
        var stream: Int?
        var languages: [String]?
    }

    struct Timeout: Codable, Equatable {
        var phase: String
        var microseconds: Int64
    }

    struct Options: Codable, Equatable {
        var segmentTarget: Int64?
        var autoplay: Bool
        var profile: Profile
        var bridgeMode: String
        var dolbyVision: Bool
        var audioStream: Int?
        var audioLanguages: [String]?
        var timeouts: [Timeout]?
        var rateRange: [Double]?
        /// An empty array disables subtitles.
        var subtitleTracks: [Int]?
        var subtitleLanguages: [String]?
        var preservesScripts: Bool?
        var findsSubtitles: Bool?
        var deinterlacing: String?
        var videoBridge: String?
        /// `nil`: the profile's preference.
        var videoBridgeCodec: String?
        var videoBridgeLines: Int?
        var measuredBridgeLines: Int?
        var hardwareEncoder: Bool?
        /// `nil`: none.
        var ladder: [Int]?
        var burned: Burned?
        var drawsSubtitles: Bool?
        var lowLatency: Bool?
        /// `nil`: audio passes unchanged.
        var sound: Sound?
        /// `nil`: automatic.
        var variants: Variants?
        /// If both are `nil`, the engine selects the program automatically.
        var programNumber: Int?
        var programName: String?
        var title: Int?
        var angle: Int?
        var dvrWindow: Int64?
        var dvrByteCount: Int64?
        var chase: String?
    }

    /// All `nil`: automatic.
    struct Burned: Codable, Equatable {
        var track: Int?
        var number: Int?
        var language: String?
    }

    struct Sound: Codable, Equatable {
        var nightMode: Bool
        var dialogueLift: Double
        var loudnessTarget: Double?
        /// `nil`: not looked up.
        var levels: [Level]?

        struct Level: Codable, Equatable {
            var stream: Int
            /// `nil`: silence.
            var loudness: Double?
        }
    }

    struct Variants: Codable, Equatable {
        var index: Int?
        var bandwidth: Int64?
        var name: String?
        var maxHeight: Int?
        var maxBandwidth: Int64?
    }

    struct Profile: Codable, Equatable {
        var name: String
        var formats: [String]
        var dolbyVision: [String]
        var bitDepths: [String: Int]
        var fullChroma: Bool
        var interlaced: Bool
        var maximumChannels: Int
        var stereoBridges: [String]
        var surroundBridges: [String]
        /// `nil` in files of older engines, like `audioFamilies`: the default of `PlayerProfile.init` applies.
        var videoBridges: [String]?
        var audioFamilies: [[String]]?
    }
}

extension JournalJSON {
    /// The sessions, and the errors of values that were ignored: a user may have edited the file.
    var records: (records: [SessionRecord], invalid: [EngineError]) {
        let restored = sessions.map(\.restored)
        return (restored.map(\.record), restored.flatMap(\.invalid))
    }

    /// The valid headers, and the errors of the others.
    static func headers(_ headers: [Header]?) -> (valid: [HTTPHeader], invalid: [EngineError]) {
        var (valid, invalid): ([HTTPHeader], [EngineError]) = ([], [])
        for header in headers ?? [] {
            do throws(EngineError) { valid.append(try HTTPHeader(name: header.name, value: header.value)) } catch {
                invalid.append(error)
            }
        }
        return (valid, invalid)
    }
}

extension JournalJSON.Entry {
    init(_ record: SessionRecord) {
        id = record.id.rawValue
        token = record.token
        source = record.request.source
        startPosition = record.request.startPosition.microseconds
        options = JournalJSON.Options(record.request.options)
        position = record.position.microseconds
        rate = record.rate
        volume = record.volume
        muted = record.isMuted
        looping = record.isLooping
        loopPoints = record.loopPoints.map { [$0.start, $0.end].compactMap { $0?.microseconds } }
        audioDelay = record.delays.audio.microseconds
        subtitleDelay = record.delays.subtitles.microseconds
        pictures = record.treatment == PictureTreatment() ? nil : JournalJSON.Pictures(record.treatment)
        httpHeaders = record.request.http.headers.map { .init(name: $0.name, value: $0.value) }
        let connection = record.request.http.connection
        httpConnection = connection == HTTPConnectionOptions() ? nil : connection
        isPlaying = record.isPlaying
        rest = record.rest.rawValue
        audio = record.audio.map { JournalJSON.Audio($0) }
        path = record.path?.rawValue
        sidecars = record.sidecars.map { JournalJSON.Sidecar($0) }
        revision = record.revision
        recording = record.recordingPath
        announcedSegments = record.announcedSegments
        sealedTargetDuration = record.sealedTargetDuration
        sourceVersion = record.sourceVersion
    }

    /// The valid positions, in microseconds: beyond any timeline, but far from overflow.
    static let positions: ClosedRange<Int64> = 0...1 << 53

    /// `nil` if there are none, or if no engine writes such values.
    private var points: LoopPoints? {
        guard let points = loopPoints, let start = points.first, points.count <= 2,
            points.allSatisfy(Self.positions.contains)
        else { return nil }
        let end = points.count == 2 ? MediaTime(microseconds: points[1]) : nil
        return LoopPoints(start: MediaTime(microseconds: start), end: end)
    }

    /// The session, and the errors of values that were ignored. Values out of range, which no engine writes, are
    /// clamped, dropped or replaced by defaults.
    var restored: (record: SessionRecord, invalid: [EngineError]) {
        var request = LoadRequest(source: source)
        request.startPosition = MediaTime(microseconds: startPosition.clamped(to: Self.positions))
        request.options = options.options
        var invalid: [EngineError]
        (request.http.headers, invalid) = JournalJSON.headers(httpHeaders)
        do throws(EngineError) { request.http.connection = try httpConnection?.checked() ?? .init() } catch {
            invalid.append(error)
        }
        var record = SessionRecord(id: SessionID(rawValue: id), token: token, request: request)
        record.position = MediaTime(microseconds: position.clamped(to: Self.positions))
        record.rate = rate.clamped(to: PlayerSettings.rates)
        record.volume = (volume ?? 1).clamped(to: 0...1)
        record.isMuted = muted ?? false
        record.isLooping = looping ?? false
        record.loopPoints = points
        record.delays = Delays(
            audio: MediaTime(microseconds: audioDelay ?? 0),
            subtitles: MediaTime(microseconds: subtitleDelay ?? 0)
        )
        if let pictures = pictures?.restored {
            record.treatment = pictures.treatment
            invalid += pictures.invalid
        }
        record.isPlaying = isPlaying
        record.rest = rest.flatMap(SessionRecord.RestingPhase.init(rawValue:)) ?? .ready
        record.audio = audio?.selection
        record.path = path.flatMap(PlaybackPath.init(rawValue:))
        let sidecars = (sidecars ?? []).map(\.restored)
        record.sidecars = sidecars.map(\.record)
        invalid += sidecars.flatMap(\.invalid)
        record.revision = revision.clamped(to: 0...1 << 60)
        record.recordingPath = recording
        record.sourceVersion = sourceVersion
        record.announcedSegments = announcedSegments.clamped(to: 0...1_000_000)
        record.sealedTargetDuration = sealedTargetDuration?.clamped(to: 1...86_400)
        return (record, invalid)
    }
}

extension Comparable {
    fileprivate func clamped(to range: ClosedRange<Self>) -> Self { min(max(self, range.lowerBound), range.upperBound) }
}

extension JournalJSON.Options {
    init(_ options: LoadOptions) {
        segmentTarget = options.requestedSegmentTarget?.microseconds
        autoplay = options.isAutoplay
        profile = JournalJSON.Profile(options.profile)
        bridgeMode = options.bridgeMode.rawValue
        videoBridge = options.videoBridge.rawValue
        videoBridgeCodec = options.videoBridgeCodec?.rawValue
        videoBridgeLines = options.videoBridgeLines
        measuredBridgeLines = options.measuredBridgeLines
        hardwareEncoder = options.usesHardwareEncoder
        ladder = options.ladder.isEmpty ? nil : options.ladder
        burned = options.burnedSubtitles.map { JournalJSON.Burned($0) }
        drawsSubtitles = options.drawsSubtitles
        lowLatency = options.hasLowLatency
        sound = options.sound.isIdentity ? nil : JournalJSON.Sound(options)
        dolbyVision = options.hasDolbyVision
        let audio = JournalJSON.Audio(options.audio)
        (audioStream, audioLanguages) = (audio.stream, audio.languages)
        switch options.subtitles {
        case .automatic: break
        case .none: subtitleTracks = []
        case .tracks(let ids): subtitleTracks = ids
        case .languages(let languages): subtitleLanguages = languages
        }
        preservesScripts = options.preservesScripts
        findsSubtitles = options.findsSubtitles
        deinterlacing = options.deinterlacing.rawValue
        variants = options.variants == VariantSelection() ? nil : JournalJSON.Variants(options.variants)
        switch options.program {
        case .automatic: break
        case .number(let number): programNumber = number
        case .name(let name): programName = name
        }
        title = options.title
        angle = options.angle
        dvrWindow = options.dvrWindow?.microseconds
        dvrByteCount = options.dvrByteCount
        chase = options.chase?.rawValue
        timeouts = options.timeouts.map { .init(phase: $0.rawValue, microseconds: Int64($1 / .microseconds(1))) }
            .sorted { $0.phase < $1.phase }
        rateRange = options.rateRange.map { [$0.lowerBound, $0.upperBound] }
    }

    var options: LoadOptions {
        var options = LoadOptions()
        options.requestedSegmentTarget = segmentTarget.map {
            MediaTime(microseconds: $0).clamped(to: LoadOptions.segmentTargets)
        }
        options.isAutoplay = autoplay
        options.profile = profile.profile
        options.bridgeMode = BridgeMode(rawValue: bridgeMode) ?? .surround
        options.videoBridge = videoBridge.flatMap(VideoBridge.init(rawValue:)) ?? .never
        options.videoBridgeCodec = PlayerProfile.knownVideoBridges.first { $0.rawValue == videoBridgeCodec }
        options.videoBridgeLines = videoBridgeLines.flatMap { LoadOptions.ladderLines.contains($0) ? $0 : nil }
        options.measuredBridgeLines = measuredBridgeLines.flatMap { LoadOptions.ladderLines.contains($0) ? $0 : nil }
        options.usesHardwareEncoder = hardwareEncoder ?? false
        options.ladder = ladder?.prefix(LoadOptions.ladderLimit).filter(LoadOptions.ladderLines.contains) ?? []
        options.burnedSubtitles = burned?.choice
        options.drawsSubtitles = drawsSubtitles ?? false
        options.hasLowLatency = lowLatency ?? false
        sound?.apply(to: &options)
        options.hasDolbyVision = dolbyVision
        options.audio = JournalJSON.Audio(stream: audioStream, languages: audioLanguages).selection
        if let subtitleTracks {
            options.subtitles = subtitleTracks.isEmpty ? .none : .tracks(subtitleTracks)
        } else if let subtitleLanguages {
            options.subtitles = .languages(subtitleLanguages)
        }
        options.preservesScripts = preservesScripts ?? false
        options.findsSubtitles = findsSubtitles
        options.deinterlacing = deinterlacing.flatMap(Deinterlacing.init(rawValue:)) ?? .frame
        options.variants = variants?.selection ?? VariantSelection()
        options.program = programNumber.map { .number($0) } ?? programName.map { .name($0) } ?? .automatic
        options.title = title
        options.angle = max(1, angle ?? 1)
        options.dvrWindow = dvrWindow.map { MediaTime(microseconds: $0).clamped(to: LoadOptions.dvrWindows) }
        options.dvrByteCount = dvrByteCount?.clamped(to: LoadOptions.dvrByteCounts)
        options.chase = chase.flatMap(ChaseMode.init(rawValue:))
        for timeout in timeouts ?? [] {
            guard let phase = Phase.Name(rawValue: timeout.phase) else { continue }
            options.timeouts[phase] = .microseconds(timeout.microseconds).clamped(
                to: .zero...PlayerSettings.longestTimeout
            )
        }
        if let rateRange, rateRange.count == 2, rateRange[0] <= rateRange[1],
            PlayerSettings.isUsable(rateRange[0]...rateRange[1])
        {
            options.rateRange = rateRange[0]...rateRange[1]
        }
        return options
    }
}

extension JournalJSON.Audio {
    init(_ selection: AudioSelection) {
        switch selection {
        case .automatic: break
        case .stream(let index): stream = index
        case .languages(let languages): self.languages = languages
        }
    }

    var selection: AudioSelection { stream.map { .stream($0) } ?? languages.map { .languages($0) } ?? .automatic }
}

extension JournalJSON.Burned {
    init(_ choice: SubtitleChoice) {
        switch choice {
        case .automatic: break
        case .id(let id): track = id
        case .number(let number): self.number = number
        case .language(let language): self.language = language
        }
    }

    var choice: SubtitleChoice {
        track.map { .id($0) } ?? number.map { .number($0) } ?? language.map { .language($0) } ?? .automatic
    }
}

extension JournalJSON.Variants {
    init(_ selection: VariantSelection) {
        switch selection.choice {
        case .automatic: break
        case .index(let index): self.index = index
        case .bandwidth(let bandwidth): self.bandwidth = bandwidth
        case .name(let name): self.name = name
        }
        (maxHeight, maxBandwidth) = (selection.maxHeight, selection.maxBandwidth)
    }

    var selection: VariantSelection {
        let choice =
            index.map { VariantSelection.Choice.index($0) } ?? bandwidth.map { .bandwidth($0) }
            ?? name.map { .name($0) }
        return VariantSelection(choice ?? .automatic, maxHeight: maxHeight, maxBandwidth: maxBandwidth)
    }
}

extension JournalJSON.Profile {
    init(_ profile: PlayerProfile) {
        name = profile.name
        formats = profile.formats.sorted()
        dolbyVision = profile.dolbyVision.sorted()
        bitDepths = profile.bitDepths
        fullChroma = profile.takesFullChroma
        interlaced = profile.takesInterlaced
        maximumChannels = profile.maximumChannels
        stereoBridges = profile.stereoBridges.map(\.rawValue)
        surroundBridges = profile.surroundBridges.map(\.rawValue)
        videoBridges = profile.videoBridges.map(\.rawValue)
        audioFamilies = profile.audioFamilies.map { $0.sorted() }
    }

    var profile: PlayerProfile {
        var profile = PlayerProfile(
            name: name,
            formats: Set(formats),
            dolbyVision: Set(dolbyVision),
            bitDepths: bitDepths,
            takesFullChroma: fullChroma,
            takesInterlaced: interlaced,
            maximumChannels: maximumChannels,
            stereoBridges: stereoBridges.map(CodecID.init(rawValue:)),
            surroundBridges: surroundBridges.map(CodecID.init(rawValue:))
        )
        if let videoBridges { profile.videoBridges = videoBridges.map(CodecID.init(rawValue:)) }
        if let audioFamilies { profile.audioFamilies = audioFamilies.map { Set($0) } }
        return profile
    }
}
