// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Packaging

private struct Row: Sendable, CustomTestStringConvertible {
    var source: (width: Int, height: Int, rate: Ratio?)
    var size: [Int]
    var level: Int
    var preset: String
    var kilobits: Int

    var testDescription: String { "\(source.width)x\(source.height)" }
}

@Suite("How bridged video is encoded")
struct VideoTargetTests {
    @Test(
        "size, level, preset and bit rate follow from the source's size and rate",
        arguments: [
            Row(source: (720, 576, Ratio(25, 1)), size: [720, 576], level: 31, preset: "veryfast", kilobits: 5100),
            Row(
                source: (720, 480, Ratio(30_000, 1001)),
                size: [720, 480],
                level: 30,
                preset: "veryfast",
                kilobits: 4600
            ),
            Row(source: (1280, 720, Ratio(50, 1)), size: [1280, 720], level: 32, preset: "veryfast", kilobits: 13_500),
            Row(
                source: (1920, 1080, Ratio(24, 1)),
                size: [1920, 1080],
                level: 40,
                preset: "veryfast",
                kilobits: 17_600
            ),
            Row(
                source: (1920, 1080, Ratio(60, 1)),
                size: [1920, 1080],
                level: 42,
                preset: "superfast",
                kilobits: 33_100
            ),
            Row(
                source: (3840, 2160, Ratio(24, 1)),
                size: [1920, 1080],
                level: 40,
                preset: "veryfast",
                kilobits: 17_600
            ),
            Row(source: (1080, 1920, nil), size: [1080, 1920], level: 40, preset: "veryfast", kilobits: 17_600),
            Row(source: (321, 241, nil), size: [320, 240], level: 30, preset: "veryfast", kilobits: 2600),
            Row(source: (1, 1, nil), size: [2, 2], level: 30, preset: "veryfast", kilobits: 2000),
        ]
    )
    private func target(row: Row) {
        let target = VideoTarget(width: row.source.width, height: row.source.height, frameRate: row.source.rate)
        #expect([target.width, target.height] == row.size)
        #expect(target.level == row.level && target.preset == row.preset)
        #expect(target.maximumBitRate == row.kilobits * 1000 && target.bufferSize == target.maximumBitRate)
    }

    @Test("level, preset and quality depend on the codec; size and bit rate do not")
    func codecs() {
        func target(_ codec: EncodedCodec, _ height: Int, _ rate: Int, rung: VideoLadder.Rung? = nil) -> VideoTarget {
            VideoTarget(codec, width: height * 16 / 9, height: height, frameRate: Ratio(rate, 1), rung: rung)
        }
        let small = EncodedCodec.allCases.map { target($0, 720, 50) }
        #expect(Set(small.map(\.maximumBitRate)) == [13_500_000] && Set(small.map(\.width)) == [1280])
        #expect(small.map(\.level) == [32, 40, 41] && small.map(\.preset) == ["veryfast", "7", "12"])
        let large = EncodedCodec.allCases.map { target($0, 1080, 60) }
        #expect(large.map(\.level) == [42, 50, 51] && large.map(\.preset) == ["superfast", "8", "13"])
        #expect(small.map(\.quality) == large.map(\.quality))
        let rung = VideoLadder.Rung(lines: 480, sourceBitRate: 0)
        for codec in EncodedCodec.allCases {
            #expect(target(codec, 720, 50, rung: rung).quality > target(codec, 720, 50).quality)
            #expect(codec.qualities.contains(target(codec, 720, 50).quality))
        }
    }

    @Test("a level has room for the size, the rate, the longest side and the bit rate")
    func levels() {
        func level(_ codec: EncodedCodec, _ width: Int, _ height: Int, _ rate: Double, _ bits: Int) -> Int {
            VideoLevel.lowest(codec, width: width, height: height, rate: rate, bits: bits).number
        }
        #expect(level(.vp9, 256, 144, 22.5, 200_000) == 10 && level(.vp9, 256, 144, 22.6, 200_000) == 11)
        #expect(level(.vp9, 256, 144, 22.5, 200_001) == 11 && level(.vp9, 514, 64, 20, 200_000) == 11)
        #expect(level(.av1, 512, 288, 30, 1_500_000) == 20 && level(.av1, 512, 288, 30.1, 1_500_000) == 21)
        #expect(level(.av1, 512, 288, 30, 1_500_001) == 21 && level(.av1, 2050, 64, 30, 1_500_000) == 21)
        #expect(level(.h264, 720, 576, 25, 12_500_000) == 30 && level(.h264, 720, 592, 25, 12_500_000) == 31)
        #expect(level(.vp9, 8192, 8192, 30, 1) == 51)
    }

    @Test(
        "a rate that is not credible is not used",
        arguments: [Ratio(0, 1), Ratio(1000, 1), Ratio(1, 0), Ratio(-1, 1)]
    )
    func rate(rate: Ratio) {
        #expect(VideoTarget(width: 640, height: 360, frameRate: rate).frameRate == Ratio(30, 1))
    }
}

@Suite("Smaller sizes of a video")
struct VideoLadderTests {
    @Test(
        "pictures fit into the rung's frame, in landscape or portrait format",
        arguments: [
            ([1920, 1080], 720, [1280, 720], 4500), ([1920, 800], 720, [1280, 534], 3600),
            ([1080, 1920], 480, [480, 854], 2450), ([1440, 1080], 480, [640, 480], 1970),
            ([1920, 1080], 1080, [1920, 1080], 8270),
        ]
    )
    func sizes(source: [Int], lines: Int, size: [Int], kilobits: Int) {
        let rung = VideoLadder.Rung(lines: lines, sourceBitRate: 0)
        let target = VideoTarget(width: source[0], height: source[1], frameRate: Ratio(30, 1), rung: rung)
        #expect([target.width, target.height] == size && target.maximumBitRate == kilobits * 1000)
    }

    @Test("the bit rate of a rung stays below that of a remuxed source, down to a minimum")
    func bitRates() {
        func bits(_ source: UInt64) -> Int {
            let rung = VideoLadder.Rung(lines: 540, sourceBitRate: source)
            return VideoTarget(width: 1920, height: 1080, frameRate: Ratio(30, 1), rung: rung).maximumBitRate
        }
        #expect(bits(0) == bits(100_000_000) && bits(2_000_000) == 710_000 && bits(1000) == 100_000)
    }

    @Test("only sizes below the served one are encoded, and each once")
    func below() {
        func lines(_ lines: [Int], _ width: Int, _ height: Int) -> [Int] {
            VideoLadder.rungs(lines, below: (width, height), sourceBitRate: 0).map(\.lines)
        }
        #expect(lines([1080, 720, 480], 1920, 1080) == [720, 480])
        #expect(lines([1080, 720, 480], 1080, 1920) == [720, 480])
        #expect(lines([720, 480], 1280, 534) == [480] && lines([720], 640, 360).isEmpty)
        #expect(lines([2160, 1440, 1080], 3840, 2160) == [1080])
    }

    private func ladder(
        _ lines: [Int] = [720],
        entry: String? = "avc1",
        format: VideoFormat? = .sdr,
        isLive: Bool = false,
        size: Int = 1080,
        formats: Set<String> = ["avc1"]
    ) throws(PackagingError) -> (codec: EncodedCodec, rungs: [VideoLadder.Rung]) {
        var description = StreamDescription()
        description.route = entry == nil ? .software("interlaced") : .remux("remuxed")
        description.delivery = entry.map { Delivery(codec: .h264, sampleEntry: $0, codecString: $0) }
        description.delivery?.videoFormat = format
        var track = Track(codec: .h264, timescale: 1000)
        var video = VideoProperties()
        (video.width, video.height) = (size * 16 / 9, size)
        track.video = video
        return try VideoLadder.rungs(
            lines,
            of: description,
            TrackSetup(track: track, transform: .unchanged),
            isRemuxed: true,
            isLive: isLive,
            sourceBitRate: 0,
            profile: PlayerProfile(name: "a player", formats: formats)
        )
    }

    private func refusal(
        entry: String? = "avc1",
        format: VideoFormat? = .sdr,
        isLive: Bool = false,
        size: Int = 1080,
        formats: Set<String> = ["avc1"]
    ) -> String? {
        do throws(PackagingError) {
            _ = try ladder(entry: entry, format: format, isLive: isLive, size: size, formats: formats)
            return nil
        } catch {
            return error.message
        }
    }

    @Test("smaller sizes have the codec of the video, if the encoder takes pictures of that size")
    func codec() throws {
        for codec in EncodedCodec.allCases {
            let entry = codec.entry.rawValue
            #expect(try ladder(entry: entry, formats: [entry]).codec == codec)
        }
        func lines(_ entry: String) throws -> [Int] {
            try ladder([720, 64, 48], entry: entry, formats: [entry]).rungs.map(\.lines)
        }
        #expect(try lines("av01") == [720, 64] && lines("vp09") == [720, 64, 48])
    }

    @Test("a ladder between whose sizes players could not switch is refused with the reason")
    func refusals() {
        #expect(refusal() == nil && refusal(format: nil) == nil)
        #expect(refusal(entry: "hvc1") == "it is served as hvc1, and smaller sizes would be of another codec")
        #expect(refusal(format: .hlg) == "it is served as HLG, and smaller sizes would be SDR")
        #expect(refusal(entry: nil) == "it is not served" && refusal(isLive: true) == "the source is still growing")
        #expect(refusal(formats: ["hvc1"]) == "profile \"a player\" does not play H.264")
        #expect(refusal(size: 480) == "no size of the ladder is below 853x480")
    }
}

@Suite("Which video is bridged")
struct VideoBridgingTests {
    private func reason(_ mode: VideoBridge, _ route: Route) -> String? { VideoBridging.reason(for: route, mode: mode) }

    @Test("the option and the route decide whether video is encoded, and why")
    func modes() {
        let (remuxed, decoded) = (Route.remux("remuxed"), Route.software("no MPEG-2"))
        #expect(reason(.never, remuxed) == nil && reason(.never, decoded) == nil)
        #expect(reason(.whenNeeded, remuxed) == nil && reason(.whenNeeded, decoded) == "no MPEG-2")
        #expect(reason(.always, remuxed) != nil && reason(.always, decoded) == "no MPEG-2")
        #expect(reason(.always, .none("encrypted")) == nil)
    }

    @Test("video into which subtitles are drawn is always encoded")
    func burned() {
        func reason(_ route: Route) -> String? {
            VideoBridging.reason(for: route, mode: .never, burnsSubtitles: true)
        }
        #expect(reason(.remux("remuxed")) == "subtitles are drawn into the video")
        #expect(reason(.software("no MPEG-2")) == "no MPEG-2" && reason(.none("encrypted")) == nil)
    }

    @Test("the formats of the player, the order of its profile and the client's request decide the codec")
    func codec() throws {
        func codec(
            _ formats: Set<String>,
            _ bridges: [CodecID] = PlayerProfile.knownVideoBridges,
            _ requested: CodecID? = nil
        ) throws(PackagingError) -> EncodedCodec? {
            let profile = PlayerProfile(name: "a player", formats: formats, videoBridges: bridges)
            return try VideoBridging.codec(for: profile, requested: requested)
        }
        #expect(try codec(["avc1", "vp09", "av01"]) == .h264 && codec(["av01", "vp09"]) == .vp9)
        #expect(try codec(["avc1", "av01"], [.av1, .h264]) == .av1 && codec(["avc1"], [.av1, .h264]) == .h264)
        #expect(try codec(["avc1", "av01"], [.h264], .av1) == .av1)
        // If the player accepts no codec that can be encoded, there is none; a requested codec is not replaced.
        #expect(try codec(["hvc1"]) == nil && codec(["avc1"], [.av1]) == nil)
        let refused = PackagingError(.unsupportedFeature, "profile \"a player\" does not play av1")
        #expect(throws: refused) { try codec(["avc1"], [.h264], .av1) }
    }
}
