// SPDX-License-Identifier: Apache-2.0

import EngineModel

/// Values with most fields set.
enum Samples {
    /// The fields that are set differ from their defaults.
    static let media: MediaDescription = {
        var media = MediaDescription()
        media.source = "/films/Ümläut 🎬.mkv"
        media.container = "matroska,webm"
        media.containerName = "Matroska / WebM"
        media.duration = .seconds(7204)
        media.start = .seconds(-0.5)
        media.byteCount = 8_640_000_000
        media.bitRate = 9_600_000
        var video = StreamDescription()
        video.kind = .video
        video.codec = .hevc
        video.codecName = "H.265"
        video.profile = "Main 10"
        video.codecString = "hvc1.2.4.L153.B0"
        video.language = "de"
        video.title = "Film"
        video.dispositions = ["default", "forced"]
        video.bitRate = 9_000_000
        video.start = .seconds(0.04)
        video.duration = .seconds(7200)
        var picture = VideoProperties()
        picture.cropping = Cropping(left: 2, top: 4, right: 6, bottom: 8)
        picture.captionChannels = ["CC1", "SERVICE1"]
        picture.isTopFieldFirst = false
        picture.chromaFormat = 2
        picture.width = 3840
        picture.height = 2160
        picture.sampleAspectRatio = Ratio(4, 3)
        picture.frameRate = Ratio(24000, 1001)
        picture.pixelFormat = "yuv420p10le"
        picture.bitDepth = 10
        picture.color = ColorDescription(primaries: 9, transfer: 16, matrix: 9, isFullRange: true)
        picture.rotation = 270
        picture.sourceVideoFormat = .hdr10
        picture.isInterlaced = true
        picture.masteringDisplay = MasteringDisplay(
            red: .init(x: 34_000, y: 16_000),
            green: .init(x: 13_250, y: 34_500),
            blue: .init(x: 7_500, y: 3_000),
            white: .init(x: 15_635, y: 16_450),
            maximumLuminance: 40_000_000,
            minimumLuminance: 50
        )
        picture.contentLight = ContentLight(maximum: 1000, frameAverage: 400)
        picture.dolbyVision = DolbyVisionConfiguration(
            versionMajor: 2,
            versionMinor: 1,
            profile: 7,
            level: 6,
            hasRPU: true,
            hasEnhancementLayer: true,
            hasBaseLayer: true,
            compatibility: 6
        )
        picture.hasClosedCaptions = true
        video.video = picture
        video.tags = [Tag("ENCODER", "x265")]
        video.route = .remux("remuxed")
        var delivered = Delivery(
            codec: .hevc,
            sampleEntry: "hvc1",
            codecString: "hvc1.2.4.L153.B0",
            supplementalCodecs: "dvh1.08.06/db1p"
        )
        delivered.videoFormat = .dolbyVision(profile: 8, compatibility: 1)
        video.delivery = delivered
        var audio = StreamDescription()
        audio.index = 1
        audio.pid = 0x101
        audio.kind = .audio
        audio.codec = .eac3
        var properties = AudioProperties()
        properties.sampleRate = 48_000
        properties.channels = 6
        properties.channelLayout = "5.1(side)"
        properties.bitDepth = 24
        properties.objects = .dolbyAtmos(complexity: 16)
        audio.audio = properties
        audio.route = .bridge("not taken")
        var heard = Delivery(codec: .flac, sampleEntry: "fLaC", codecString: "fLaC")
        heard.audio = properties
        heard.audio?.objects = .dtsX
        audio.delivery = heard
        var cover = StreamDescription()
        cover.index = 2
        cover.kind = .coverArt
        cover.fileName = "cover.jpg"
        cover.mimeType = "image/jpeg"
        cover.payloadByteCount = 1 << 40
        cover.protection = ContentProtection(scheme: "cenc", keySystems: ["Widevine", "PlayReady"], keyID: "00ff")
        media.streams = [video, audio, cover]
        media.chapters = [Chapter(start: .zero, end: .seconds(60), title: "One")]
        media.tags = [Tag("title", "Film"), Tag("", "")]
        var program = Program(number: 3)
        (program.name, program.provider, program.clockPID, program.mapPID) = ("News", "Somebody", 0x100, 0x20)
        program.streams = [0, 1]
        media.programs = [program, Program(number: 4)]
        media.program = 3
        media.subtitleFiles = [
            SubtitleTrack(
                id: SubtitleTrack.firstSidecar,
                codec: CodecID(rawValue: "subrip"),
                language: "de",
                isText: true,
                origin: .sidecar("/film.de.srt")
            )
        ]
        media.variants = [SourceVariant(index: 3)]
        media.titles = [DiscTitle(number: 1, name: "00800.mpls", duration: .seconds(9), chapterCount: 2, angleCount: 1)]
        media.titles[0].isMain = true
        media.titles[0].isSelected = true
        return media
    }()

    static let state: SessionState = {
        var state = SessionState(
            id: SessionID(rawValue: "s1"),
            source: "/film.mkv",
            url: "http://127.0.0.1:1/token/master.m3u8",
            position: PositionAnchor(
                position: .seconds(12.5),
                rate: 1.5,
                monotonicNanoseconds: .max,
                requestedRate: 1.5
            )
        )
        state.revision = .max
        state.phase = .error(EngineError(.sourceChanged, "it changed", cause: "mtime", field: "source"))
        state.duration = .seconds(7204)
        state.seekable = [MediaTimeRange(start: .zero, end: .seconds(7204))]
        state.buffered = [
            MediaTimeRange(start: .zero, end: .seconds(4)), MediaTimeRange(start: .seconds(8), end: .seconds(12)),
        ]
        state.production.plannedSegments = 1801
        state.production.isPlanComplete = true
        state.production.scanProgress = 0.25
        state.production.planOrigin = .cache
        state.production.segmentsProduced = 5
        state.production.segmentsEvicted = 2
        state.production.cachedBytes = 1 << 33
        state.production.bytesProduced = 1 << 34
        state.media = media
        state.videoFormat = .dolbyVision(profile: 8, compatibility: 1)
        state.sourceVideoFormat = .hdr10Plus
        state.route = .bridge("dts is not taken by chromium")
        state.profile = "chromium"
        state.selectedAudio = 2
        state.volume = 0.5
        state.isMuted = true
        state.isLooping = true
        state.rateRange = 0.5...4
        state.loopPoints = LoopPoints(start: .seconds(3), end: .seconds(5))
        state.delays = Delays(audio: .seconds(0.25), subtitles: .seconds(-2))
        state.path = .software
        state.chapter = 3
        state.metadata = [Tag("artist", "Somebody")]
        state.storyboardURL = "http://127.0.0.1:1/token/storyboard.vtt"
        state.coverArtURL = "http://127.0.0.1:1/token/cover"
        state.live = LiveState(
            edge: .seconds(60),
            monotonicNanoseconds: 9,
            latency: .seconds(7),
            targetLatency: .seconds(6)
        )
        state.live?.wallClock = 1_700_000_000_000_000
        state.live?.isWallClockDoubtful = true
        state.live?.isStalled = true
        state.live?.utcOffset = -19_800
        state.statistics.bytesRead = 1
        state.statistics.segmentsMade = 2
        state.statistics.segmentsServed = 3
        state.statistics.segmentsEvicted = 4
        state.statistics.cacheHits = 5
        state.statistics.productionSpeed = 6.5
        state.statistics.stalls = 7
        state.statistics.stallMicroseconds = 8
        state.statistics.droppedFrames = 9
        state.statistics.decodeMicroseconds = 10
        state.statistics.residentBytes = 11
        state.statistics.decodedFrames = 22
        state.statistics.decodeErrors = 23
        state.statistics.picturesInPlace = 24
        state.statistics.picturesCopied = 25
        state.statistics.traffic.cacheHits = 26
        state.statistics.traffic.diskByteCount = 27
        state.statistics.traffic.requests = 12
        state.statistics.traffic.retries = 13
        state.statistics.traffic.byteCount = 14
        state.statistics.traffic.roundTripMicroseconds = 15
        state.statistics.traffic.bytesPerSecond = 16
        state.statistics.traffic.fastBytesPerSecond = 28
        state.statistics.traffic.slowBytesPerSecond = 29
        state.statistics.traffic.rejoins = 17
        state.statistics.traffic.gaps = 18
        state.statistics.traffic.repeatedByteCount = 19
        state.statistics.traffic.continuityErrors = 20
        state.statistics.traffic.transportErrors = 21
        state.subtitleTracks = media.subtitleFiles
        state.selectedSubtitles = [SubtitleTrack.firstSidecar]
        state.adjustments.brightness = 0.25
        state.filters = [AppliedFilter(id: 3, filter: PictureFilter("hqdn3d", [.init("luma_spatial", "4")]))]
        let bounds = OverlayBounds(x: 1, y: 2, width: 3, height: 4, pictureWidth: 5, pictureHeight: 6)
        state.overlays = [PlacedOverlay(name: "logo", rectangle: .whole, z: -1, bounds: bounds)]
        var recording = RecordingState(path: "/films/kept-2.mp4", start: .seconds(1))
        (recording.phase, recording.duration, recording.byteCount) = (.failed, .seconds(2), 3)
        (recording.earlierPaths, recording.subtitlePaths) = (["/films/kept.mp4"], ["/films/kept.en.srt"])
        recording.error = EngineError(.recordingFailed, "full", cause: "pwrite")
        state.recording = recording
        var event = ProgramEvent(id: 4711)
        (event.title, event.text, event.details, event.language) = ("Tagesschau", "Nachrichten", "Mehr", "deu")
        (event.start, event.duration, event.status) = (1_700_000_000_000_000, .seconds(900), .startsSoon)
        state.guide = [
            ProgramGuide(program: 3, present: event, following: ProgramEvent(id: 1)), ProgramGuide(program: 4),
        ]
        state.sourceWait = .retrying(status: 503)
        state.isGrowing = true
        state.renderer = "mpv"
        return state
    }()
}
