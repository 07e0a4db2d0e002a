// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Server
@testable import Wire

@Suite("Model values survive the wire")
struct RoundTripTests {
    /// The message without gRPC's five-byte prefix.
    private func body(_ framed: [UInt8]) -> [UInt8] {
        let body = Array(framed.dropFirst(MessageFraming.prefixByteCount))
        #expect(
            Array(framed.prefix(MessageFraming.prefixByteCount)) == MessageFraming.prefix(messageByteCount: body.count)
        )
        return body
    }

    @Test("a state with most fields set")
    func state() throws {
        #expect(try SessionState(wire: body(Samples.state.framed())) == Samples.state)
        #expect(try SessionState(loadResponse: body(Samples.state.framedLoadResponse())) == Samples.state)
    }

    @Test(
        "every phase",
        arguments: [
            Phase.opening, .ready, .playing, .paused, .buffering, .seeking, .ended,
        ]
    )
    func phase(_ phase: Phase) throws {
        var state = Samples.state
        state.phase = phase
        state.duration = nil
        state.media = nil
        #expect(try SessionState(wire: body(state.framed())) == state)
    }

    @Test("media that is empty, and media with subtitle files and variants")
    func emptyMedia() throws {
        #expect(try MediaDescription(wire: body(MediaDescription().framed())) == MediaDescription())
        var described = MediaDescription()
        let file = SubtitleTrack(
            id: SubtitleTrack.firstSidecar,
            codec: CodecID(rawValue: "subrip"),
            language: "de",
            isText: true,
            origin: .sidecar("/film.de.srt")
        )
        described.subtitleFiles = [file]
        var variant = SourceVariant(index: 3)
        (variant.name, variant.bandwidth, variant.averageBandwidth) = ("HD", 4_000_000, 3_000_000)
        (variant.width, variant.height, variant.frameRate) = (1280, 720, 29.97)
        (variant.codecs, variant.videoRange) = (["avc1.64001F", "mp4a.40.2"], "SDR")
        (variant.use, variant.reason) = (.played, "chosen by its number")
        described.variants = [variant, SourceVariant(index: 4)]
        #expect(try MediaDescription(wire: body(described.framed())) == described)
    }

    @Test("every colour code point, by its name or as a number", arguments: 0...255)
    func colors(_ codePoint: Int) {
        for table in [ColorNames.primaries, .transfer, .matrix] {
            #expect(table.codePoint(table.name(codePoint)) == codePoint)
        }
    }

    @Test(
        "events of a watch",
        arguments: [
            WatchEvent.snapshot(Samples.state),
            .time(
                TimeEvent(
                    session: SessionID(rawValue: "s1"),
                    revision: 7,
                    position: .seconds(1),
                    rate: 2,
                    monotonicNanoseconds: 5
                )
            ),
            .notice(SessionID(rawValue: "s1"), Notice(.info, "a.b", "text")),
            .gap(dropped: 12),
            .closed(SessionID(rawValue: "s1"), nil),
            .closed(SessionID(rawValue: "s1"), EngineError(.internal, "m", cause: "c")),
            .delta(StateDelta(fields: .all, state: Samples.state)),
            .seek(SessionID(rawValue: "s1"), SeekEvent(id: 4, stage: .superseded, target: .seconds(9))),
            .batch([.snapshot(Samples.state), .notice(SessionID(rawValue: "s1"), Notice(.info, "a.b", "text"))]),
        ]
    )
    func events(_ event: WatchEvent) throws {
        #expect(try WatchEvent.decoded(body(event.framed())) == event)
    }

    @Test("a delta of all fields turns any state of the session into the new one")
    func wholeDelta() {
        var state = SessionState(
            id: Samples.state.id,
            source: "/other.mkv",
            url: "",
            position: PositionAnchor(position: .zero, rate: 0, monotonicNanoseconds: 0, requestedRate: 1)
        )
        state.apply(StateDelta(fields: .all, state: Samples.state))
        #expect(state == Samples.state)
    }

    @Test("the sample state sets every property that is sent, so that the tests above notice the loss of any")
    func everyProperty() throws {
        let plain = SessionState(
            id: SessionID(rawValue: ""),
            source: "",
            url: "",
            position: PositionAnchor(position: .zero, rate: 0, monotonicNanoseconds: 0, requestedRate: 1)
        )
        #expect(unset(Samples.state, plain) == [])
        #expect(unset(Samples.state.production, plain.production) == [])
        #expect(unset(Samples.state.statistics, plain.statistics) == [])
        #expect(unset(Samples.state.statistics.traffic, plain.statistics.traffic) == [])
        #expect(unset(Samples.media, MediaDescription()) == [])
        let picture = try #require(Samples.media.streams[0].video)
        let unsent = ["codedColor", "hasDynamicMetadata", "captionServices"]
        #expect(unset(picture, VideoProperties()) == unsent)
        let audio = try #require(Samples.media.streams[1].audio)
        #expect(unset(audio, AudioProperties()) == [])
        // No stream sets all properties, but each property that is sent is set by one of the streams.
        let streams = Samples.media.streams.map { Set(unset($0, StreamDescription())) }
        #expect(streams[0].intersection(streams[1]).intersection(streams[2]) == ["subtitlePages"])
    }

    /// The names of the stored properties that are equal in both values.
    private func unset<Value>(_ value: Value, _ plain: Value) -> [String] {
        zip(Mirror(reflecting: value).children, Mirror(reflecting: plain).children)
            .filter { String(reflecting: $0.value) == String(reflecting: $1.value) }
            .map { $0.0.label ?? "" }
    }

    @Test("requests")
    func requests() throws {
        var load = LoadRequest(source: "/a b.mkv")
        load.startPosition = .seconds(3)
        load.options.requestedSegmentTarget = .seconds(6)
        load.options.isAutoplay = true
        (load.options.dvrWindow, load.options.dvrByteCount) = (.seconds(60), 64 << 20)
        load.options.chase = .precise
        load.options.profile = .chromium
        load.options.bridgeMode = .lossless
        (load.options.videoBridge, load.options.videoBridgeCodec) = (.whenNeeded, .vp9)
        load.options.videoBridgeLines = 540
        load.options.usesHardwareEncoder = true
        load.options.ladder = [1080, 480]
        load.options.burnedSubtitles = .language("de")
        load.options.drawsSubtitles = true
        load.options.hasLowLatency = true
        load.options.sound.isNightMode = true
        (load.options.sound.dialogueLift, load.options.sound.loudnessTarget) = (4.5, -23)
        load.options.hasDolbyVision = false
        load.options.audio = .languages(["de", "Japanese"])
        load.options.timeouts = [.buffering: .seconds(3), .seeking: .zero]
        load.options.rateRange = 0.5...4
        load.session = SessionID(rawValue: "s3")
        load.http.headers = [try HTTPHeader(name: "Authorization", value: "Bearer x")]
        load.requestID = "again"
        #expect(try LoadRequest(wire: body(load.framed())) == load)
        load.options.profile = PlayerProfile(
            name: PlayerProfile.customName,
            formats: ["hvc1", "ec-3"],
            dolbyVision: ["8.1"],
            bitDepths: ["hvc1": 12],
            takesFullChroma: true,
            takesInterlaced: false,
            maximumChannels: 2,
            stereoBridges: [.aac],
            surroundBridges: [.ac3, .flac],
            videoBridges: [.av1, .h264]
        )
        load.options.audio = .stream(0)
        #expect(try LoadRequest(wire: body(load.framed())) == load)
        let probe = ProbeRequest(source: "/a.mkv", http: load.http, options: load.options)
        #expect(try ProbeRequest(wire: body(probe.framed())) == probe)
        let id = SessionID(rawValue: "s9")
        let seeks: [SeekCommand] = [
            SeekCommand(.relative(.seconds(-2))), SeekCommand(.position(.seconds(9)), mode: .keyframe, thenPlay: true),
            SeekCommand(.begin, thenPlay: false), SeekCommand(.end), SeekCommand(.live),
        ]
        for command in seeks {
            let seek = CommandRequest(session: id, ifRevision: 4, requestID: "a", command: .player(.seek(command)))
            #expect(try CommandRequest(seek: body(seek.framed())) == seek)
        }
        let volume = CommandRequest(session: id, requestID: "b", command: .player(.setVolume(0.25)))
        #expect(try CommandRequest(setVolume: body(volume.framed())) == volume)
        let muted = CommandRequest(session: id, requestID: "c", command: .player(.setMuted(true)))
        #expect(try CommandRequest(setMuted: body(muted.framed())) == muted)
        let looping = CommandRequest(session: id, requestID: "d", command: .player(.setLooping(true)))
        #expect(try CommandRequest(setLooping: body(looping.framed())) == looping)
        let points = [nil, LoopPoints(start: .seconds(1), end: nil), LoopPoints(start: .zero, end: .seconds(2))]
        for points in points {
            let loop = CommandRequest(session: id, requestID: "f", command: .player(.setLoopPoints(points)))
            #expect(try CommandRequest(setLoopPoints: body(loop.framed())) == loop)
        }
        let audio = CommandRequest(session: id, requestID: "g", command: .player(.setAudioDelay(.seconds(-0.25))))
        #expect(try CommandRequest(setAudioDelay: body(audio.framed())) == audio)
        let text = CommandRequest(session: id, requestID: "h", command: .player(.setSubtitleDelay(.seconds(3))))
        #expect(try CommandRequest(setSubtitleDelay: body(text.framed())) == text)
        let frames = CommandRequest(session: id, ifRevision: 3, command: .stepFrame(-4))
        #expect(try CommandRequest(stepFrame: body(frames.framed())) == frames)
        for step in ChapterStep.allCases {
            let skip = CommandRequest(session: id, requestID: "e", command: .player(.skipChapter(step)))
            #expect(try CommandRequest(skipChapter: body(skip.framed())) == skip)
        }
        let rate = CommandRequest(session: nil, command: .player(.setRate(0.5)))
        #expect(try CommandRequest(setRate: body(rate.framed())) == rate)
        let stop = CommandRequest(session: id, command: .stop)
        #expect(try CommandRequest(wire: body(stop.framed()), command: .stop) == stop)
        for selection in [AudioSelection.automatic, .stream(3), .languages(["eng"])] {
            let select = CommandRequest(session: id, ifRevision: 9, command: .tracks(.selectAudio(selection)))
            #expect(try CommandRequest(selectAudio: body(select.framed())) == select)
        }
        for watch in [
            WatchOptions(), WatchOptions(.session(id), timeInterval: nil, fields: [.phase, .media]),
            WatchOptions(.allSessions, timeInterval: .seconds(2)), WatchOptions(batchInterval: .seconds(1)),
        ] {
            #expect(try WatchOptions(wire: body(watch.framed())) == watch)
        }
    }

    @Test("renderer reports and commands")
    func renderer() throws {
        var report = RendererReport(position: .seconds(3), rate: 1.5)
        report.isBuffering = true
        report.hasEnded = true
        report.seekID = 4
        report.buffered = [MediaTimeRange(start: .zero, end: .seconds(9))]
        report.droppedFrames = 5
        report.lastCommand = 6
        let offer = RendererOffer(session: SessionID(rawValue: "s1"), name: "mpv", replaces: true)
        for request in [RenderRequest.attach(offer), .report(report)] {
            #expect(try RenderRequest(wire: body(request.framed())) == request)
        }
        let actions: [RendererCommand.Action] = [
            .load(url: "http://127.0.0.1:1/t/master.m3u8", position: .seconds(1)), .play, .pause,
            .seek(id: 7, position: .seconds(2)), .rate(0), .volume(0.5), .muted(false), .stop,
        ]
        for (number, action) in actions.enumerated() {
            let command = RendererCommand(number: UInt64(number), action: action)
            #expect(try RendererCommand.decoded(body(command.framed())) == command)
        }
    }

    @Test("every error code has a status, whose message has the code's name, the text and the cause")
    func errors() {
        for code in EngineError.Code.allCases {
            let status = GRPCStatus(EngineError(code, "tried: it (failed)", cause: "because"))
            #expect(status.code != .ok && status.code != .unknown)
            #expect(status.message == "\(code.rawValue): tried: it (failed) (because)")
            #expect(status.bareMessage == "tried: it (failed)")
        }
    }

    @Test("a segment report keeps its tracks")
    func report() throws {
        var report = SegmentReport()
        var track = SegmentReport.Track()
        track.codec = "h264"
        track.packets = 96
        track.decodedFrames = 95
        track.decodeErrors = 1
        track.start = .seconds(4)
        track.end = .seconds(8)
        track.startsWithKeyframe = true
        report.tracks = [track]
        report.problems = ["one", "two"]
        #expect(try SegmentReport(wire: body(report.framed())) == report)
    }
}
