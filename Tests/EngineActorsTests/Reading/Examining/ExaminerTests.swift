// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Packaging
import Testing

@testable import Bindings
@testable import Reading

@Suite("Routes of the streams of a source")
struct ExaminerTests {
    /// Decoders that find what a test sets. Without an audio format, or a verdict about fields, decoding fails.
    /// Encoding always fails.
    private struct Trials: StreamTrials {
        var format: AudioFormat?
        var frame: FirstFrameFacts?
        var fields: FieldWatch.Verdict?

        private static let failure = PackagingError(.unsupportedCodec, "no decoder")

        func format(of stream: PlayedStream, _ packets: [Packet]) throws(PackagingError) -> AudioFormat? {
            guard let format else { throw Self.failure }
            return format
        }

        func frame(of stream: PlayedStream) throws(PackagingError) -> FirstFrameFacts? { frame }

        func fields(of stream: PlayedStream) throws(PackagingError) -> FieldWatch.Verdict {
            guard let fields else { throw Self.failure }
            return fields
        }

        func bridge(
            _ stream: PlayedStream,
            to target: AudioTarget,
            maximumChannels: Int,
            sound: SoundChain?
        ) throws(PackagingError) -> BridgeDraft {
            throw PackagingError(.unsupportedCodec, "cannot re-encode to \(target.codec.rawValue)")
        }

        func videoBridges(
            _ stream: PlayedStream,
            _ setup: TrackSetup,
            to codec: EncodedCodec,
            usesDevice: Bool,
            _ limit: BridgeSize,
            _ rungs: [VideoLadder.Rung?]
        ) throws(PackagingError) -> [VideoBridgeDraft] {
            throw Self.failure
        }

        func speed(of bridge: VideoBridgeDraft, _ stream: PlayedStream, in container: ContainerFormat) -> Double? {
            nil
        }
    }

    private static let stereo = AudioFormat(samples: .planarFloat, rate: 44_100, layout: ChannelLayout(mask: 3))
    private static let asc: [UInt8] = [0x11, 0x90]

    private func examine(
        _ codecs: [CodecID],
        packets: Int = 30,
        profile: PlayerProfile = .everything,
        container: String = "matroska,webm",
        hasKeyframe: Bool = true,
        ladder: [Int] = [],
        sound: SoundTreatment = SoundTreatment(),
        levels: [Int: Double]? = nil,
        trials: Trials = Trials(),
        change: (inout StreamDescription) -> Void = { _ in }
    ) -> Examination {
        var options = LoadOptions()
        options.profile = profile
        options.ladder = ladder
        (options.sound, options.soundLevels) = (sound, levels)
        let streams = codecs.enumerated().map { place, codec in
            var stream = StreamDescription.fixture(place, codec)
            change(&stream)
            return stream
        }
        let infos = streams.map { stream in
            StreamInfo.fixture(stream.index, stream.codec, extradata: stream.codec == .aac ? Self.asc : [])
        }
        var media = MediaDescription.fixture(streams)
        let choice = StreamChoice(infos, media, options)
        for place in media.streams.indices { media.streams[place].route = choice.route(of: media.streams[place]) }
        var head = SourceHead(of: choice)
        for number in 0..<packets where head.wantsMore {
            for info in infos where choice.read.contains(info.index) {
                head.add(
                    Packet(
                        info.kind == .video
                            ? number == 0 && hasKeyframe ? VP9Fixture.keyframe : VP9Fixture.frame : [1, 2, 3],
                        stream: info.index,
                        pts: Int64(1000 + number * 40),
                        dts: Int64(1000 + number * 40),
                        duration: 40,
                        flags: number == 0 && hasKeyframe || info.kind == .audio ? .key : []
                    )
                )
            }
        }
        let format = ContainerFormat(name: container)
        let evidence = SourceEvidence(
            path: "/film",
            container: format,
            streams: infos,
            media: media,
            facts: ContainerFacts(container: format),
            choice: choice,
            index: nil,
            head: head
        )
        return Examiner(evidence, options: options, trials: trials).examination()
    }

    private let mpeg2 = CodecID(rawValue: "mpeg2video")

    @Test("streams that the player supports are remuxed, and described by their first packets")
    func remuxed() throws {
        let found = examine([.vp9, .aac], trials: Trials(format: Self.stereo))
        #expect(found.refusal == nil && found.tracks.count == 2 && found.origin.time == .seconds(1))
        #expect(found.tracks.allSatisfy { $0.isServed && $0.bridge == nil })
        #expect(found.media.start == .seconds(1))
        #expect(found.media.streams[0].codecString.hasPrefix("vp09"))
        #expect(found.media.streams[1].codecString == "mp4a.40.2")
        let delivery = try #require(found.media.streams[1].delivery)
        #expect(delivery.codec == .aac && delivery.audio?.channelLayout == Self.stereo.layout.name)
    }

    @Test("a ladder that is not possible is reported; the video is played without it")
    func impossibleSizes() throws {
        let found = examine([.vp9], ladder: [48])
        #expect(found.refusal == nil && found.tracks.count == 1 && found.ladder.isEmpty)
        let notice = try #require(found.notices.first { $0.code == "video.no_ladder" })
        #expect(notice.message.hasSuffix("offered in one size only: no decoder"))
        #expect(examine([.vp9]).notices.allSatisfy { $0.code != "video.no_ladder" })
        let audio = examine([.aac], ladder: [480], trials: Trials(format: Self.stereo))
        #expect(audio.notices.contains { $0.code == "video.no_ladder" && $0.message.contains("no video") })
    }

    @Test("audio that was to be changed, but cannot be encoded, is remuxed with a notice")
    func untreated() throws {
        var sound = SoundTreatment()
        sound.isNightMode = true
        let found = examine([.vp9, .aac], sound: sound, trials: Trials(format: Self.stereo))
        #expect(found.refusal == nil && found.tracks.allSatisfy { $0.isServed && $0.bridge == nil })
        let codes = found.notices.map(\.code).filter { $0.hasPrefix("audio.") }
        #expect(codes == ["audio.next_way", "audio.next_way", "audio.untreated"])
        #expect(examine([.vp9], sound: sound).notices.isEmpty)
    }

    @Test("tracks whose loudness is not known keep their level, and one notice names them")
    func unmeasured() throws {
        var sound = SoundTreatment()
        sound.loudnessTarget = -23
        for (levels, streams) in [(nil, "1, 2"), ([2: -20], "1"), ([1: -.infinity, 2: -20], nil)]
            as [([Int: Double]?, String?)]
        {
            let found = examine([.vp9, .aac, .aac], sound: sound, levels: levels, trials: Trials(format: Self.stereo))
            let notices = found.notices.filter { $0.code == "audio.not_measured" }
            #expect(notices.count == (streams == nil ? 0 : 1))
            if let streams { #expect(notices.first?.message.contains("stream \(streams) has") == true) }
            // Only a track with a known, finite level is to be changed.
            let untreated = found.notices.filter { $0.code == "audio.untreated" }.map(\.message)
            #expect(untreated.count == (levels == nil ? 0 : 1) && untreated.allSatisfy { $0.contains("stream 2") })
        }
    }

    @Test("an encrypted stream is left out and reported; the others are played")
    func encrypted() {
        let found = examine([.vp9, .aac]) { stream in
            guard stream.codec == .aac else { return }
            stream.protection = ContentProtection(scheme: "cenc", keySystems: ["Widevine"])
        }
        #expect(found.refusal == nil && found.tracks.map(\.stream.index) == [0])
        #expect(found.media.streams[1].route == .none("encrypted with cenc for Widevine"))
        #expect(
            found.notices == [
                Notice(.warning, "track.encrypted", "aac stream 1 is encrypted with cenc for Widevine")
            ]
        )
    }

    @Test("streams that are remuxed need no decoder")
    func remuxedWithoutDecoder() {
        let found = examine([.vp9, .aac])
        #expect(found.refusal == nil && found.media.streams[1].delivery?.audio?.channelLayout == "")
    }

    @Test("video that no player supports is planned for the software path; its first frame shows if it is interlaced")
    func decoded() {
        let frame = FirstFrameFacts(width: 720, height: 576, isInterlaced: true, isTopFieldFirst: true)
        let found = examine([mpeg2], trials: Trials(frame: frame))
        #expect(found.refusal == nil && found.tracks.map(\.isServed) == [false])
        let video = found.media.streams[0].video
        #expect(video?.isInterlaced == true && video?.isTopFieldFirst == true)
        #expect(video?.width == 320, "the container's size excludes padding")
    }

    @Test("video without a keyframe is left out, and the audio is played alone")
    func withoutKeyframe() {
        let found = examine([mpeg2, .aac], hasKeyframe: false)
        #expect(found.refusal == nil && found.tracks.map(\.stream.index) == [1])
        #expect(found.notices.contains { $0.code == "track.not_served" && $0.message.contains("no keyframe") })
        #expect(examine([mpeg2], hasKeyframe: false).refusal?.code == .noPlayableStream)
    }

    @Test("a source is refused if its leading stream cannot be decoded; another such stream is left out with a notice")
    func undecodable() {
        let lead = examine([mpeg2, .aac])
        #expect(lead.refusal?.code == .noPlayableStream)
        #expect(lead.refusal?.message == "the mpeg2video stream 0 of /film cannot be played")
        #expect(lead.tracks.map(\.stream.index) == [1])
        let other = examine([.vp9, CodecID(rawValue: "pcm_s16le")])
        #expect(other.refusal == nil && other.tracks.map(\.stream.index) == [0])
        #expect(other.notices.contains { $0.code == "track.not_served" })
        guard case .none = other.media.streams[1].route else { return #expect(Bool(false), "is played") }
    }

    @Test("audio that can be encoded in no supported format takes the software path, with the reason")
    func ladder() {
        let found = examine(
            [.vp9, .aac],
            profile: PlayerProfile(name: "test", formats: ["vp09", "fLaC", "ec-3"]),
            trials: Trials(format: Self.stereo)
        )
        guard case .software(let reason) = found.media.streams[1].route else {
            return #expect(Bool(false), "is not decoded")
        }
        #expect(reason.contains("cannot re-encode to"))
        #expect(found.tracks.map(\.isServed) == [true, false])
        #expect(found.media.streams[1].audio?.sampleRate == 44_100)
    }

    @Test("video that the player does not play is left to the software path", arguments: [true, false])
    func unplayed(isVideoPlayed: Bool) {
        let formats: Set<String> = isVideoPlayed ? ["vp09"] : ["avc1"]
        let found = examine([.vp9], profile: PlayerProfile(name: "test", formats: formats))
        #expect(found.refusal == nil && found.tracks.map(\.isServed) == [isVideoPlayed])
    }

    @Test(
        "declared interlacing is checked for a player that would show combing",
        arguments: [(FieldWatch.Verdict.progressive, true), (.interlaced, false), (nil, false)]
            as [(FieldWatch.Verdict?, Bool)]
    )
    func fields(verdict: FieldWatch.Verdict?, isServed: Bool) {
        let profile = PlayerProfile(name: "test", formats: ["vp09"], takesInterlaced: false)
        let found = examine([.vp9], profile: profile, trials: Trials(fields: verdict)) { $0.video?.isInterlaced = true }
        #expect(found.tracks.map(\.isServed) == [isServed])
        #expect(found.notices.contains { $0.code == "video.fields_contradiction" } == isServed)
    }

    @Test("a source without packets is described as having none")
    func empty() {
        let found = examine([.aac], packets: 0)
        #expect(found.media.streams[0].route == .none("the source contains no packets of this stream"))
    }

    @Test("reading the head ends once every stream has enough packets")
    func head() {
        let found = examine([.vp9, .aac], packets: 1000)
        #expect(found.head.packets[0]?.count == 24 && found.head.all.count == 48)
    }

    // MARK: Times

    @Test("frames are as long as declared, unless the spacing of the packets differs greatly")
    func frameLengths() {
        let cases: [(declared: Ratio?, times: [Int64], frame: Int64, rate: Ratio)] = [
            (Ratio(25, 1), [0, 40, 80, 120], 40, Ratio(25, 1)),
            (Ratio(25, 1), [0, 120, 40, 80], 40, Ratio(25, 1)),
            (Ratio(100, 1), [0, 40, 80, 120], 40, Ratio(25, 1)),
            (nil, [0, 40, 80, 120], 40, Ratio(25, 1)),
            (Ratio(30, 1), [0], 33, Ratio(30, 1)),
            (nil, [0] + (0..<20).map { 9000 + $0 * 40 }, 40, Ratio(25, 1)),
        ]
        for row in cases {
            var track = Track(codec: .vp9, timescale: 1000)
            track.video = VideoProperties()
            track.video?.frameRate = row.declared
            let draft = TrackDraft(
                info: .fixture(0, .vp9),
                description: .fixture(0, .vp9),
                setup: TrackSetup(track: track, transform: .unchanged),
                bridge: nil
            )
            let packets = row.times.map { Packet([1], stream: 0, pts: $0, dts: $0, duration: 40) }
            let placed = TrackPlacement(
                draft,
                packets,
                in: ContainerFormat(name: "matroska"),
                origin: .zero,
                startsMidTimeline: false
            )
            #expect(placed.nominalDuration == row.frame && placed.track.video?.frameRate == row.rate)
        }
    }

    @Test(
        "the timing of a track follows from its container and from the times that its packets state",
        arguments: [
            ("matroska", true, true, PlayedTrack.Timing.presentation), ("avi", true, true, .decodeOrder),
            ("avi", true, false, .counted), ("mpegts", false, true, .decodeOrder), ("h264", true, true, .counted),
        ]
    )
    func timing(container: String, hasPTS: Bool, hasDTS: Bool, expected: PlayedTrack.Timing) {
        let draft = TrackDraft(
            info: .fixture(0, .h264),
            description: .fixture(0, .h264),
            setup: TrackSetup(track: Track(codec: .h264, timescale: 1000), transform: .unchanged),
            bridge: nil
        )
        let packets = (0..<4).map { Packet([1], stream: 0, pts: hasPTS ? $0 * 40 : nil, dts: hasDTS ? $0 * 40 : nil) }
        let placed = TrackPlacement(
            draft,
            packets,
            in: ContainerFormat(name: container),
            origin: .zero,
            startsMidTimeline: false
        )
        #expect(placed.timing == expected)
    }

    @Test("media before the origin is the track's lead; decoding is one frame further ahead than reordering needs")
    func offsets() {
        var setup = TrackSetup(track: Track(codec: .h264, timescale: 1000), transform: .unchanged, reorderDepth: 2)
        setup.track.video = VideoProperties()
        setup.track.video?.frameRate = Ratio(25, 1)
        let draft = TrackDraft(
            info: .fixture(0, .h264),
            description: .fixture(0, .h264),
            setup: setup,
            bridge: nil
        )
        let packets = [0, 120, 40, 80].map { Packet([1], stream: 0, pts: $0, dts: nil, duration: 40) }
        let origin = TimelineOrigin(MediaTime(microseconds: 40_000))
        let placed = TrackPlacement(
            draft,
            packets,
            in: ContainerFormat(name: "matroska"),
            origin: origin,
            startsMidTimeline: false
        )
        #expect(placed.origin == 40 && placed.lead == 40)
        #expect(placed.delay == 120 && placed.track.mediaTimeOffset == 160)
    }
}
