// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Packaging
import Testing

@testable import Reading

@Suite("The choice of a variant")
struct VariantChoiceTests {
    private static let lines = [
        #"BANDWIDTH=1000,RESOLUTION=640x360,CODECS="avc1.64001E,mp4a.40.2",NAME="low""#,
        #"BANDWIDTH=3000,RESOLUTION=1280x720,CODECS="avc1.64001F,mp4a.40.2",STABLE-VARIANT-ID="mid""#,
        #"BANDWIDTH=9000,RESOLUTION=1920x1080,CODECS="vvc1.1.L51""#,
        #"BANDWIDTH=6000,RESOLUTION=1920x1080,CODECS="hvc1.2.4.L120,mp4a.40.2",VIDEO-RANGE=PQ,FRAME-RATE=29.970"#,
        #"BANDWIDTH=64,CODECS="mp4a.40.2""#,
    ]

    private static func choice(
        _ selection: VariantSelection = .init(),
        lines: [String] = lines,
        profile: PlayerProfile = .everything
    ) throws -> VariantChoice {
        let text = lines.enumerated().map { "#EXT-X-STREAM-INF:\($1)\n\($0).m3u8" }.joined(separator: "\n")
        let playlist = try HLSPlaylist.parse(
            Array("#EXTM3U\n\(text)\n".utf8),
            url: "http://host/a.m3u8",
            importing: [:]
        )
        guard case .multivariant(let found) = playlist else { throw HLSLadder.Failure.empty }
        var options = LoadOptions()
        (options.variants, options.profile) = (selection, profile)
        return try VariantChoice(found.variants, for: options, of: "film")
    }

    @Test(
        "The highest bandwidth within the caps comes first, and the other variants follow in case it fails",
        arguments: [
            (VariantSelection(), [3, 1, 0]),
            (VariantSelection(maxHeight: 720), [1, 0]),
            (VariantSelection(maxHeight: 100), [0]),
            (VariantSelection(maxBandwidth: 5999), [1, 0]),
            (VariantSelection(maxHeight: 1080, maxBandwidth: 1000), [0]),
            (VariantSelection(.index(4), maxHeight: 100), [4]),
            (VariantSelection(.bandwidth(3000)), [1]),
            (VariantSelection(.name("low")), [0]),
            (VariantSelection(.name("mid")), [1]),
        ]
    )
    func order(_ selection: VariantSelection, _ places: [Int]) throws {
        #expect(try Self.choice(selection).places == places)
    }

    @Test("Variants that the player does not decode come last")
    func profiles() throws {
        let choice = try Self.choice(profile: try .named("chromium"))
        #expect(choice.places == [1, 0, 3])
        let found = choice.described(playing: 1)
        #expect(found[1].reason == "the highest bandwidth that the player can play")
        #expect(found[3].reason == "profile \"chromium\" does not decode its video")
    }

    @Test(
        "The refusal of an unknown variant lists the known ones",
        arguments: [
            (VariantSelection.Choice.index(5), "number 5"), (.bandwidth(2999), "2999 bit/s"),
            (.name("high"), "the name high"),
        ]
    )
    func missing(_ wanted: VariantSelection.Choice, _ words: String) {
        let refusal = #expect(throws: EngineError.self) { try Self.choice(.init(wanted)) }
        #expect(refusal?.code == .invalidArgument && refusal?.field == "options.variants")
        #expect(
            refusal?.message.contains("has no variant with \(words), only 0 low (1000 bit/s), 1 (3000 bit/s)") == true
        )
    }

    @Test("Players may switch to variants that continue the played one, unless the client selected a variant")
    func offers() throws {
        #expect(try Self.choice().offered(beside: 3) == [])
        #expect(try Self.choice().offered(beside: 1) == [0])
        #expect(try Self.choice(profile: .named("chromium")).offered(beside: 1) == [0])
        #expect(try Self.choice(profile: .named("chromium")).offered(beside: 3) == [])
        #expect(try Self.choice(.init(maxHeight: 720)).offered(beside: 1) == [0])
        #expect(try Self.choice(.init(maxHeight: 360)).offered(beside: 0) == [])
        #expect(try Self.choice(.init(.index(1))).offered(beside: 1) == [])
        var failed = try Self.choice()
        failed.noteFailure(of: 1, EngineError(.sourceNotFound, "gone"))
        #expect(failed.offered(beside: 0) == [])
        let found = try Self.choice(.init(maxHeight: 720)).described(playing: 1, offering: [0])
        #expect(found.map(\.use) == [.offered, .played, .unused, .unused, .unused])
        #expect(found[0].reason == "players may switch to it")
    }

    @Test("The engine switches between live variants with the same video and audio that the player decodes alike")
    func alternatives() throws {
        #expect(try Self.choice().alternatives(to: 1) == [0] && Self.choice().alternatives(to: 0) == [1])
        #expect(try Self.choice(.init(maxHeight: 360)).alternatives(to: 0) == [])
        #expect(try Self.choice(.init(.index(1))).alternatives(to: 1) == [])
        // The software path plays what the player does not decode.
        #expect(try Self.choice(lines: Self.hevc, profile: .named("chromium")).alternatives(to: 0) == [2])
        #expect(try Self.choice(lines: Self.hevc, profile: .named("chromium")).offered(beside: 0) == [])
        let found = try Self.choice().described(playing: 1, switchingTo: [0])
        #expect(
            found[0].use == .unused && found[0].reason == "the engine switches to it when the bandwidth suggests it"
        )
    }

    @Test("The software path reads variants with the same video, whatever their audio and whatever the player decodes")
    func readable() throws {
        #expect(try Self.choice().readable(insteadOf: 1) == [0] && Self.choice().readable(insteadOf: 3) == [])
        #expect(try Self.choice(.init(maxHeight: 360)).readable(insteadOf: 0) == [])
        #expect(try Self.choice(.init(.index(1))).readable(insteadOf: 1) == [])
        #expect(try Self.choice(lines: Self.hevc, profile: .named("chromium")).readable(insteadOf: 0) == [1, 2, 3])
        #expect(try Self.choice(lines: Self.hevc).readable(insteadOf: 4) == [])
        var failed = try Self.choice(lines: Self.hevc)
        failed.noteFailure(of: 2, EngineError(.sourceNotFound, "gone"))
        #expect(failed.readable(insteadOf: 0) == [1, 3])
    }

    @Test("If the window moves, the reason names the audio that keeps the engine from switching to a variant")
    func audioReasons() throws {
        let choice = try Self.choice(lines: Self.hevc)
        let found = choice.described(playing: 0, switchingTo: Set(choice.alternatives(to: 0)), slides: true)
        #expect(
            found.map(\.reason).dropFirst() == [
                "it does not have the audio of the played variant",
                "the engine switches to it when the bandwidth suggests it",
                "its audio is ac-3, but that of the played variant is mp4a.40.2",
                "it does not continue the one that is played",
            ]
        )
        #expect(found.map(\.use) == [.played, .unused, .unused, .unused, .unused])
        let complete = choice.described(playing: 0, switchingTo: Set(choice.alternatives(to: 0)))
        #expect(complete[3].reason == "it does not continue the one that is played")
        let selected = try Self.choice(.init(.index(0)), lines: Self.hevc).described(playing: 0, slides: true)
        #expect(selected[3].reason == "another one was chosen")
    }

    /// Beside the first variant, only number 2 has both the same audio and a bandwidth.
    private static let hevc = [
        #"BANDWIDTH=6000,CODECS="hvc1.2.4.L120,mp4a.40.2",AUDIO="a""#,
        #"BANDWIDTH=3000,CODECS="hvc1.2.4.L120,mp4a.40.2",AUDIO="b""#,
        #"BANDWIDTH=2000,CODECS="hev1.2.4.L90,mp4a.40.2",AUDIO="a""#,
        #"BANDWIDTH=1000,CODECS="hvc1.2.4.L90,ac-3",AUDIO="a""#,
        #"CODECS="hvc1.2.4.L60,mp4a.40.2",AUDIO="a""#,
    ]

    @Test("Selecting a variant that cannot be decoded fails with no_playable_stream")
    func undecodable() {
        let refusal = #expect(throws: EngineError.self) { try Self.choice(.init(.index(2))) }
        #expect(refusal?.code == .noPlayableStream && refusal?.cause.contains("vvc1.1.L51") == true)
    }

    @Test("Each variant is described by its attributes in the playlist and the reason for its use")
    func descriptions() throws {
        var choice = try Self.choice()
        choice.noteFailure(of: 3, EngineError(.sourceNotFound, "gone"))
        let found = choice.described(playing: 1)
        #expect(found.map(\.name) == ["low", "mid", "", "", ""])
        #expect(found.map(\.bandwidth) == [1000, 3000, 9000, 6000, 64])
        #expect(found.map(\.height) == [360, 720, 1080, 1080, 0] && found[3].width == 1920)
        #expect(found[3].videoRange == "PQ" && found[3].frameRate == 29.97 && found[3].codecs.count == 2)
        #expect(found.map(\.use) == [.unused, .played, .unused, .unused, .unused])
        #expect(
            found.map(\.reason) == [
                "it does not continue the one that is played",
                "the highest bandwidth that the player can play, of those that can be fetched",
                "vvc1.1.L51 cannot be decoded", "its playlist cannot be read: source_not_found: gone",
                "it has no video, and others have",
            ]
        )
        let least = try Self.choice(.init(maxHeight: 100)).described(playing: 0)
        #expect(least[0].reason == "the lowest one, because none is within the caps")
        #expect(least[1].reason == "its 720 lines are above the cap")
        #expect(try Self.choice(.init(.name("low"))).described(playing: 0)[1].reason == "another one was chosen")
    }
}
