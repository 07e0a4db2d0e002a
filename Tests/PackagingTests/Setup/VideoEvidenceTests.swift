// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Packaging
import Testing

/// Properties of a video, from its container and its bitstream together.
@Suite struct VideoEvidenceTests {
    /// The HDR10 specimen with additional NAL units in its picture.
    private func hevc(_ units: [String], _ change: (inout VideoProperties) -> Void = { _ in }) throws -> TrackSetup {
        var packet = Specimen.hevc.packet
        for unit in units.map(hex) { packet += [0, 0, 0, UInt8(unit.count)] + unit }
        var video = VideoProperties()
        change(&video)
        return try TrackSetup.resolve(
            codec: .hevc,
            timescale: 90_000,
            extradata: Specimen.hevc.extradata,
            firstPackets: [packet],
            video: video,
            audio: nil,
            language: ""
        )
    }

    private static func text(_ unit: [UInt8]) -> String {
        unit.map { "\($0 < 16 ? "0" : "")\(String($0, radix: 16))" }.joined()
    }

    private static let dynamicMetadata = "4e01 04 0a b5003c0001 04 01 400000 80"
    private static let otherApplication = "4e01 04 0a b5003c0001 05 01 400000 80"
    private static let captions = "4e01 04 14 b50031 47413934 03 43 ff fc9420 ff0221 fe4100 ff 80"
    /// A Dolby Vision RPU whose profile field is 1 (profiles 7 and 8) or 0 (profile 5).
    private static let metadata8 = text(RPUScript(name: "").unit)
    private static let metadata5 = text(RPUScript(name: "", rpuProfile: 0, isFullRange: true).unit)
    private static let enhancement = "7e01 2601 af 00 80"

    @Test(
        "The bitstream provides what the container does not",
        arguments: [
            ([], VideoFormat.hdr10),
            ([dynamicMetadata], .hdr10Plus),
            ([otherApplication], .hdr10),
            ([metadata8], .dolbyVision(profile: 8, compatibility: 1)),
            ([metadata8, dynamicMetadata], .dolbyVision(profile: 8, compatibility: 1)),
            ([metadata5], .dolbyVision(profile: 5, compatibility: 0)),
            ([enhancement, metadata8], .dolbyVision(profile: 7, compatibility: 6)),
        ] as [([String], VideoFormat)]
    )
    func undeclared(_ units: [String], _ format: VideoFormat) throws {
        let setup = try hevc(units)
        #expect(setup.track.video?.sourceVideoFormat == format)
        #expect(setup.notices.isEmpty)
    }

    @Test("A container's light metadata takes precedence over the bitstream's")
    func containerFirst() throws {
        let light = ContentLight(maximum: 4000, frameAverage: 250)
        #expect(try hevc([]) { $0.contentLight = light }.track.video?.contentLight == light)
        #expect(try hevc([]).track.video?.contentLight == ContentLight(maximum: 1000, frameAverage: 400))
    }

    @Test("HLG signalled with an SDR transfer function is HLG")
    func alternativeTransfer() throws {
        let message = hex("06 93 01 12 80")
        var video = VideoProperties()
        video.color = ColorDescription(primaries: 9, transfer: 14, matrix: 9)
        let setup = try TrackSetup.resolve(
            codec: .h264,
            timescale: 90_000,
            extradata: Specimen.avc.extradata,
            firstPackets: [[0, 0, 0, UInt8(message.count)] + message + Specimen.avc.packet],
            video: video,
            audio: nil,
            language: ""
        )
        let found = setup.track.video
        #expect(setup.notices.isEmpty)
        #expect(found?.color.transfer == 18)
        #expect(found?.sourceVideoFormat == .hlg)
    }

    @Test(
        "Contradicting dynamic ranges are reported; PQ in the bitstream takes precedence",
        arguments: [
            (1, VideoFormat.hdr10, 1), (14, .hdr10, 1), (18, .hdr10, 1), (16, .hdr10, 0), (2, .hdr10, 0),
        ] as [(Int, VideoFormat, Int)]
    )
    func colorContradiction(_ transfer: Int, _ format: VideoFormat, _ notices: Int) throws {
        let setup = try hevc([]) { $0.color = ColorDescription(primaries: 9, transfer: transfer, matrix: 9) }
        #expect(setup.track.video?.sourceVideoFormat == format)
        #expect(setup.notices.count { $0.code == "video.color_contradiction" } == notices)
    }

    @Test("The bitstream provides colour that the container leaves open")
    func partialColor() throws {
        let video = try hevc([]) { $0.color = ColorDescription(primaries: 9) }.track.video
        #expect(video?.color == ColorDescription(primaries: 9, transfer: 16, matrix: 9))
    }

    @Test("Dynamic metadata is found in a later picture of HDR10, and not searched for once it is known")
    func laterDynamicMetadata() throws {
        func shows(_ packet: [UInt8], _ setup: TrackSetup) -> Bool {
            setup.track.showsDynamicMetadata(packet.span, setup.transform)
        }
        let setup = try hevc([])
        let unit = hex(Self.dynamicMetadata)
        let later = [0, 0, 0, UInt8(unit.count)] + unit
        #expect(setup.track.mayShowDynamicMetadata)
        #expect(shows(later, setup))
        #expect(!shows(Specimen.hevc.packet, setup))
        let known = try hevc([Self.dynamicMetadata])
        #expect(!shows(later, known))
    }

    @Test("Captions embedded in the video are found by channel")
    func captionChannels() throws {
        let video = try hevc([Self.captions]).track.video
        #expect(video?.hasClosedCaptions == true)
        #expect(video?.captionChannels == ["CC1", "SERVICE1"])
        #expect(try hevc([]).track.video?.hasClosedCaptions == false)
    }

    @Test(
        "A message that overruns its unit or is too short is reported and does no harm",
        arguments: [
            "4e01 04 ff ff 10 b5 80", "4e01 89 04 0102030480", "4e01 04", "4e01 ffffffff 80", "4e01 90 02 0102 80",
        ]
    )
    func damagedMessages(_ unit: String) throws {
        let setup = try hevc([unit])
        #expect(setup.track.video?.sourceVideoFormat == .hdr10)
        let isShort = hex(unit).count <= 4
        #expect(setup.notices.map(\.code) == (isShort ? [] : ["video.messages_damaged"]))
    }

    @Test("Unreadable Dolby Vision RPUs are reported, readable ones are not")
    func damagedMetadata() throws {
        func notices(_ unit: [UInt8]) throws -> [Notice] {
            try hevc([Self.text(unit)]).notices
        }
        let script = RPUScript(name: "")
        #expect(try notices(script.unit).isEmpty)
        for unit in [RPUScript(name: "checksum", damage: 1).unit, Array(script.unit.prefix(20))] {
            let found = try notices(unit)
            #expect(found.map(\.code) == ["video.rpu_damaged"])
            #expect(found.first?.message.contains("RPU") == true)
        }
    }

    @Test(
        "A record that contradicts its stream is corrected or dropped, and reported",
        arguments: [
            (DolbyVisionConfiguration(profile: 8, level: 5, compatibility: 1), [metadata8], "8.1", 0),
            (DolbyVisionConfiguration(profile: 8, level: 5, compatibility: 6), [metadata8], "8.1", 1),
            (DolbyVisionConfiguration(profile: 8, level: 5, compatibility: 0), [metadata8], "8.1", 1),
            (DolbyVisionConfiguration(profile: 8, level: 5, compatibility: 4), [metadata8], "8.1", 1),
            (DolbyVisionConfiguration(profile: 8, level: 5, compatibility: 1), [], nil, 1),
            (DolbyVisionConfiguration(profile: 5, level: 5, compatibility: 0), [metadata8], "8.1", 1),
            (DolbyVisionConfiguration(profile: 8, level: 5, compatibility: 1), [metadata5], "5", 1),
            (DolbyVisionConfiguration(profile: 9, level: 5, compatibility: 2), [metadata8], nil, 1),
            (DolbyVisionConfiguration(profile: 10, level: 5, compatibility: 1), [metadata8], nil, 1),
            (DolbyVisionConfiguration(profile: 127, level: 63, compatibility: 15), [metadata8], nil, 1),
            (DolbyVisionConfiguration(profile: 7, level: 5, compatibility: 6), [metadata8], "7", 0),
            (DolbyVisionConfiguration(profile: 7, level: 5, compatibility: 6), [], "7", 0),
        ] as [(DolbyVisionConfiguration, [String], String?, Int)]
    )
    func declared(_ record: DolbyVisionConfiguration, _ units: [String], _ name: String?, _ notices: Int) throws {
        let setup = try hevc(units) { $0.dolbyVision = record }
        #expect(setup.track.video?.dolbyVision?.name == name)
        #expect(setup.notices.count { $0.code == "video.dolby_vision_contradiction" } == notices)
        if name == nil { #expect(setup.track.video?.sourceVideoFormat == .hdr10) }
    }

    @Test("An invalid level is computed from size and rate", arguments: [0, 14, 63])
    func level(_ declared: Int) throws {
        let record = DolbyVisionConfiguration(profile: 8, level: declared, compatibility: 1)
        #expect(try hevc([Self.metadata8]) { $0.dolbyVision = record }.track.video?.dolbyVision?.level == 1)
    }

    @Test(
        "The level is the lowest that fits width and rate",
        arguments: [
            (854, 480, Ratio(25, 1), 1), (1280, 720, Ratio(24, 1), 1), (1280, 720, Ratio(30, 1), 2),
            (1920, 1080, Ratio(24_000, 1001), 3), (1920, 800, Ratio(24, 1), 3), (1920, 1080, Ratio(60, 1), 5),
            (3840, 2160, Ratio(24, 1), 6), (3840, 2160, Ratio(60, 1), 9), (7680, 4320, Ratio(60, 1), 12),
            (3840, 2160, nil, 6), (0, 0, Ratio(24, 1), 6), (65_535, 65_535, Ratio(1000, 1), 13),
        ] as [(Int, Int, Ratio?, Int)]
    )
    func smallestLevel(_ width: Int, _ height: Int, _ rate: Ratio?, _ level: Int) {
        #expect(DolbyVisionLevel.smallest(width: width, height: height, frameRate: rate) == level)
    }
}
