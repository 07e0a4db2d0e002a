// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Packaging
import Testing

private let pq = ColorDescription(primaries: 9, transfer: 16, matrix: 9)
private let hlg = ColorDescription(primaries: 9, transfer: 18, matrix: 9)
private let sdr = ColorDescription(primaries: 1, transfer: 1, matrix: 1)

private struct Row: Sendable, CustomTestStringConvertible {
    var codec: CodecID
    var record: String
    var color: ColorDescription
    var entry: String
    var codecs: String
    var supplemental: String
    var format: String

    init(
        _ codec: CodecID,
        _ record: String,
        _ color: ColorDescription,
        _ entry: String,
        _ codecs: String,
        _ supplemental: String,
        _ format: String
    ) {
        (self.codec, self.record, self.color) = (codec, record, color)
        (self.entry, self.codecs, self.supplemental, self.format) = (entry, codecs, supplemental, format)
    }

    var testDescription: String { "\(codec.rawValue) \(record)" }

    var track: Track {
        var track = Track(codec: codec, timescale: 90_000)
        track.codecString = Self.strings[codec] ?? ""
        var video = VideoProperties()
        (video.width, video.height, video.bitDepth) = (1920, 1080, 10)
        video.color = color
        let numbers = record.split(separator: ".").compactMap { Int($0) }
        if let profile = numbers.first {
            video.dolbyVision = DolbyVisionConfiguration(
                profile: profile,
                level: 6,
                hasEnhancementLayer: profile == 7,
                compatibility: numbers.count > 1 ? numbers[1] : 0
            )
        }
        track.video = video
        return track
    }

    static let strings: [CodecID: String] = [
        .hevc: "hvc1.2.4.L153.B0", .h264: "avc1.640028", .av1: "av01.0.08M.10", .vp9: "vp09.02.10.10",
    ]
}

/// A property of a video that a player does not support.
private struct Limit: Sendable, CustomTestStringConvertible {
    var codec: CodecID
    var reason: String
    var video: @Sendable (inout VideoProperties) -> Void
    var narrow: @Sendable (inout PlayerProfile) -> Void

    init(
        _ codec: CodecID,
        _ reason: String,
        video: @escaping @Sendable (inout VideoProperties) -> Void = { _ in },
        narrow: @escaping @Sendable (inout PlayerProfile) -> Void
    ) {
        (self.codec, self.reason, self.video, self.narrow) = (codec, reason, video, narrow)
    }

    var testDescription: String { reason }
}

@Suite struct VideoRouteTests {
    @Test(
        "A player that supports everything gets remuxed video, with Dolby Vision where HLS signals it",
        arguments: [
            Row(.hevc, "", sdr, "hvc1", "hvc1.2.4.L153.B0", "", "SDR"),
            Row(.hevc, "", pq, "hvc1", "hvc1.2.4.L153.B0", "", "HDR10"),
            Row(.hevc, "", hlg, "hvc1", "hvc1.2.4.L153.B0", "", "HLG"),
            Row(.hevc, "5", pq, "dvh1", "dvh1.05.06", "", "Dolby Vision 5"),
            Row(.hevc, "7.6", pq, "hvc1", "hvc1.2.4.L153.B0", "dvh1.08.06/db1p", "Dolby Vision 8.1"),
            Row(.hevc, "8.1", pq, "hvc1", "hvc1.2.4.L153.B0", "dvh1.08.06/db1p", "Dolby Vision 8.1"),
            Row(.hevc, "8.2", sdr, "hvc1", "hvc1.2.4.L153.B0", "dvh1.08.06/db2g", "Dolby Vision 8.2"),
            Row(.hevc, "8.4", hlg, "hvc1", "hvc1.2.4.L153.B0", "dvh1.08.06/db4h", "Dolby Vision 8.4"),
            Row(.h264, "9.2", sdr, "avc1", "avc1.640028", "dva1.09.06/db2g", "Dolby Vision 9"),
            Row(.av1, "10.0", pq, "dav1", "dav1.10.06", "", "Dolby Vision 10.0"),
            Row(.av1, "10.1", pq, "av01", "av01.0.08M.10", "dav1.10.06/db1p", "Dolby Vision 10.1"),
            Row(.av1, "10.2", sdr, "av01", "av01.0.08M.10", "", "SDR"),
            Row(.av1, "10.4", hlg, "av01", "av01.0.08M.10", "dav1.10.06/db4h", "Dolby Vision 10.4"),
            Row(.vp9, "", pq, "vp09", "vp09.02.10.10", "", "HDR10"),
        ]
    )
    fileprivate func everything(_ row: Row) {
        let route = VideoRoute(track: row.track, profile: .everything, hasDolbyVision: true, canConvert: true)
        #expect(route.entry?.rawValue == row.entry)
        #expect(route.codecString == row.codecs)
        #expect(route.supplementalCodecs == row.supplemental)
        #expect(route.format.name == row.format)
        #expect(route.route.word == "remux")
        #expect((route.dolbyVision.record != nil) == row.format.hasPrefix("Dolby"))
        #expect((route.dolbyVision.record?.profile == 8) == (row.record.hasPrefix("8") || row.record.hasPrefix("7")))
    }

    @Test(
        "Without Dolby Vision, the base layer is served if there is one",
        arguments: [
            Row(.hevc, "5", pq, "", "", "", ""),
            Row(.hevc, "7.6", pq, "hvc1", "hvc1.2.4.L153.B0", "", "HDR10"),
            Row(.hevc, "8.1", pq, "hvc1", "hvc1.2.4.L153.B0", "", "HDR10"),
            Row(.hevc, "8.2", sdr, "hvc1", "hvc1.2.4.L153.B0", "", "SDR"),
            Row(.hevc, "8.4", hlg, "hvc1", "hvc1.2.4.L153.B0", "", "HLG"),
            Row(.h264, "9.2", sdr, "avc1", "avc1.640028", "", "SDR"),
            Row(.av1, "10.0", pq, "", "", "", ""),
            Row(.av1, "10.1", pq, "av01", "av01.0.08M.10", "", "HDR10"),
            Row(.av1, "10.4", hlg, "av01", "av01.0.08M.10", "", "HLG"),
        ],
        [true, false]
    )
    fileprivate func baseLayer(_ row: Row, isWanted: Bool) {
        var profile = PlayerProfile.everything
        if isWanted { profile.dolbyVision = [] }
        let route = VideoRoute(track: row.track, profile: profile, hasDolbyVision: isWanted, canConvert: true)
        #expect(route.dolbyVision == .baseLayer)
        #expect(route.entry?.rawValue ?? "" == row.entry)
        #expect(route.codecString == row.codecs)
        #expect(route.supplementalCodecs.isEmpty)
        if row.entry.isEmpty {
            #expect(route.route.word == "software")
            #expect(route.route.reason.contains("cannot be played alone"))
        } else {
            #expect(route.format.name == row.format)
        }
    }

    @Test("Profile 7 that cannot be converted is served as its HDR10 base layer")
    func unconverted() {
        let track = Row(.hevc, "7.6", pq, "", "", "", "").track
        let route = VideoRoute(track: track, profile: .everything, hasDolbyVision: true, canConvert: false)
        #expect(route.dolbyVision == .baseLayer)
        #expect(route.format == .hdr10)
        #expect(route.route.reason.hasSuffix("its metadata is missing or damaged"))
        var profile = PlayerProfile.everything
        profile.dolbyVision = []
        let other = VideoRoute(track: track, profile: profile, hasDolbyVision: true, canConvert: false)
        #expect(!other.route.reason.contains("damaged"))
    }

    @Test("Dynamic metadata is kept without Dolby Vision")
    func dynamicMetadata() {
        var track = Row(.hevc, "8.1", pq, "", "", "", "").track
        track.video?.hasDynamicMetadata = true
        let route = VideoRoute(track: track, profile: .everything, hasDolbyVision: false, canConvert: true)
        #expect(route.format == .hdr10Plus)
    }

    @Test(
        "What a player does not support is left to the software path, with the reason",
        arguments: [
            Limit(.hevc, "profile \"narrow\" does not support hvc1", narrow: { $0.formats = ["avc1"] }),
            Limit(.vp9, "profile \"narrow\" does not support vp09", narrow: { $0.formats = ["avc1"] }),
            Limit(
                .h264,
                "profile \"narrow\" does not support 10 bits per sample in avc1",
                narrow: { $0.bitDepths = ["avc1": 8] }
            ),
            Limit(
                .h264,
                "profile \"narrow\" does not support 4:2:2 in avc1",
                video: { $0.chromaFormat = 2 },
                narrow: { $0.takesFullChroma = false }
            ),
            Limit(
                .hevc,
                "profile \"narrow\" does not support 4:4:4 in hvc1",
                video: { $0.chromaFormat = 3 },
                narrow: { $0.takesFullChroma = false }
            ),
            Limit(
                .h264,
                "profile \"narrow\" does not support interlaced video in avc1",
                video: { $0.isInterlaced = true },
                narrow: { $0.takesInterlaced = false }
            ),
        ]
    )
    fileprivate func limits(_ limit: Limit) {
        var profile = PlayerProfile.everything
        profile.name = "narrow"
        var track = Row(limit.codec, "", sdr, "", "", "", "").track
        if var video = track.video {
            limit.video(&video)
            track.video = video
        }
        let wide = VideoRoute(track: track, profile: profile, hasDolbyVision: true, canConvert: true)
        #expect(wide.route.word == "remux")
        limit.narrow(&profile)
        let route = VideoRoute(track: track, profile: profile, hasDolbyVision: true, canConvert: true)
        #expect(route.route == .software(limit.reason))
        #expect(route.entry == nil)
    }

    @Test("Whether a player accepts another codec depends on its formats, not on names of the same codec")
    func otherCodecs() {
        var profile = PlayerProfile.everything
        #expect(VideoRoute.accepts(othersThan: .avc1, profile) && VideoRoute.accepts(othersThan: .hvc1, profile))
        profile.formats = ["avc1", "avc3", "mp4a.40.2"]
        #expect(!VideoRoute.accepts(othersThan: .avc1, profile) && VideoRoute.accepts(othersThan: .vp09, profile))
        profile.formats = ["hvc1", "hev1", "dvh1"]
        #expect(!VideoRoute.accepts(othersThan: .hev1, profile) && VideoRoute.accepts(othersThan: .av01, profile))
    }

    @Test("A player that requires in-band parameter sets gets the matching sample entry and CODECS string")
    func inBandEntry() {
        var profile = PlayerProfile.everything
        profile.formats = ["hev1"]
        let track = Row(.hevc, "8.1", pq, "", "", "", "").track
        let route = VideoRoute(track: track, profile: profile, hasDolbyVision: true, canConvert: true)
        #expect(route.entry == .hev1)
        #expect(route.codecString == "hev1.2.4.L153.B0")
        #expect(route.supplementalCodecs == "dvhe.08.06/db1p")
    }
}
