// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Packaging
import Testing

@testable import Bindings
@testable import Reading

@Suite("Which streams are played")
struct StreamChoiceTests {
    private func choice(
        _ streams: [StreamDescription],
        profile: PlayerProfile = .everything
    ) -> StreamChoice {
        var options = LoadOptions()
        options.profile = profile
        let infos = streams.map { StreamInfo.fixture($0.index, $0.codec, extradata: [0x11, 0x90]) }
        return StreamChoice(infos, .fixture(streams), options)
    }

    private func streams(_ codecs: [String]) -> [StreamDescription] {
        codecs.enumerated().map { .fixture($0.offset, CodecID(rawValue: $0.element)) }
    }

    @Test(
        "one video and every playable audio stream are played, the leading stream first",
        arguments: [
            (["h264", "aac"], [0, 1]),
            (["aac", "h264", "opus"], [1, 0, 2]),
            (["aac"], [0]),
            (["png", "flac"], [1]),
            (["mpeg2video", "h264"], [1]),
            (["mpeg2video", "aac"], [0, 1]),
            (["h264", "hevc"], [0]),
            (["no_video", "aac"], [1]),
            (["no_video", "no_audio"], []),
            (["subrip"], []),
        ]
    )
    func played(codecs: [String], expected: [Int]) {
        #expect(choice(streams(codecs)).played == expected)
    }

    @Test("encrypted streams are not played, and a source without other streams is refused as encrypted")
    func encrypted() {
        var streams = streams(["hevc", "h264", "ac3", "aac"])
        for index in [0, 2] { streams[index].protection = ContentProtection(scheme: "cbcs", keySystems: ["FairPlay"]) }
        #expect(choice(streams).played == [1, 3])
        #expect(choice(streams).route(of: streams[0]) == .none("encrypted with cbcs for FairPlay"))
        let rest = choice([streams[0], streams[2]])
        let refusal = #expect(throws: EngineError.self) { try rest.requirePlayable(path: "/film") }
        #expect(refusal?.code == .sourceEncrypted)
        #expect(
            refusal?.cause == "hevc stream 0 is encrypted with cbcs for FairPlay; "
                + "ac3 stream 2 is encrypted with cbcs for FairPlay"
        )
    }

    @Test("the video that the source marks as default is preferred")
    func marked() {
        var streams = streams(["h264", "hevc"])
        streams[1].dispositions = ["default"]
        #expect(choice(streams).video == 1)
    }

    @Test(
        "the route of a stream states its reason",
        arguments: [
            (["h264", "hevc"], 1, Route.none("another video stream is selected")),
            (["h264", "no_audio"], 1, .none("there is no decoder for no_audio")),
            (["h264", "png"], 1, .none("cover art is not part of the timeline")),
            (["h264", "subrip"], 1, .none("not part of the HLS output")),
            (["h264"], 0, .remux("remuxed into fMP4")),
            (["mpeg2video"], 0, .software("mpeg2video cannot be carried in fMP4 without re-encoding")),
        ]
    )
    func routes(codecs: [String], index: Int, expected: Route) {
        let streams = streams(codecs)
        #expect(choice(streams).route(of: streams[index]) == expected)
    }

    @Test("audio that the player supports is remuxed; other audio is bridged if possible, and otherwise decoded")
    func audio() {
        let streams = streams(["h264", "aac"])
        func profile(_ formats: Set<String>) -> PlayerProfile { PlayerProfile(name: "test", formats: formats) }
        let remuxed = choice(streams, profile: profile(["avc1", "mp4a.40.2"]))
        let bridged = choice(streams, profile: profile(["avc1", "fLaC"]))
        let decoded = choice(streams, profile: profile(["avc1"]))
        guard case .remux = remuxed.route(of: streams[1]) else { return #expect(Bool(false), "not remuxed") }
        guard case .bridge = bridged.route(of: streams[1]) else { return #expect(Bool(false), "not bridged") }
        #expect(bridged.isBridged(1) && !remuxed.isBridged(1))
        let reason = "profile \"test\" plays neither aac nor any codec that the engine encodes to"
        #expect(decoded.way(of: streams[1]) == .software(reason))
        #expect(decoded.route(of: streams[1]) == .software(reason))
    }

    // MARK: Dolby Vision in two tracks

    private func layers(declared: Bool, width: Int, codec: CodecID = .hevc) -> [StreamDescription] {
        var streams = [StreamDescription.fixture(0, .hevc), .fixture(1, codec)]
        for (place, width) in [3840, width].enumerated() {
            streams[place].video?.width = width
            streams[place].video?.height = width * 9 / 16
        }
        if declared {
            streams[1].video?.dolbyVision = DolbyVisionConfiguration(
                profile: 7,
                level: 6,
                hasEnhancementLayer: true,
                hasBaseLayer: false,
                compatibility: 6
            )
        }
        return streams
    }

    @Test("a declared enhancement layer is the companion and never the video, in whichever order the streams come")
    func declaredLayer() {
        let streams = layers(declared: true, width: 1920)
        let choice = choice(streams)
        #expect(choice.video == 0 && choice.companion == 1 && choice.read == [0, 1] && choice.played == [0])
        #expect(choice.route(of: streams[1]) == StreamChoice.layerRoute(of: 0))
        #expect(
            self.choice(
                [streams[1], streams[0]].enumerated().map { place, stream in
                    var stream = stream
                    stream.index = place
                    return stream
                }
            ).video == 1
        )
    }

    @Test(
        "video that is not declared as an enhancement layer may be the companion if its codec and size fit",
        arguments: [(3840, CodecID.hevc, 1), (1920, .hevc, 1), (1280, .hevc, nil), (1920, .h264, nil)]
            as [(Int, CodecID, Int?)]
    )
    func undeclaredLayer(width: Int, codec: CodecID, expected: Int?) {
        #expect(choice(layers(declared: false, width: width, codec: codec)).companion == expected)
    }

    // MARK: Refusals

    @Test(
        "the refusal of a source without playable streams says what the source contains",
        arguments: [
            (["subrip"], "/film contains no video and no audio"),
            (["no_video", "no_audio"], "/film contains only no_video, no_audio, which cannot be decoded"),
        ]
    )
    func refused(codecs: [String], message: String) {
        let error = #expect(throws: EngineError.self) { try choice(streams(codecs)).requirePlayable(path: "/film") }
        #expect(error?.code == .noPlayableStream && error?.message == message)
    }
}
