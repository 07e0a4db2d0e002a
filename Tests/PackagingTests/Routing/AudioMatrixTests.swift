// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Packaging

@Suite("The audio matrix", .timeLimit(.minutes(10)))
struct AudioMatrixTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let codec: String
        var profile = ""
        var channels = 2
        var hasConfiguration = true
        var mode = BridgeMode.surround
        var decodable = true
        let words: [String]

        var testDescription: String { "\(codec) \(profile) \(channels) \(mode)" }
    }

    static let everything: [Row] = [
        Row(codec: "aac", profile: "LC", words: ["remux", "flac", "aac"]),
        Row(codec: "aac", profile: "HE-AAC", words: ["remux", "flac", "aac"]),
        Row(codec: "aac", profile: "HE-AAC", hasConfiguration: false, words: ["flac", "aac"]),
        Row(codec: "aac", profile: "LC", hasConfiguration: false, words: ["remux", "flac", "aac"]),
        Row(codec: "aac", profile: "LC", channels: 7, hasConfiguration: false, words: ["eac3", "aac", "flac"]),
        Row(codec: "aac_latm", words: ["flac", "aac"]),
        Row(codec: "ac3", channels: 6, words: ["remux", "eac3", "aac", "flac"]),
        Row(codec: "eac3", channels: 6, words: ["remux", "eac3", "aac", "flac"]),
        Row(codec: "flac", words: ["remux", "flac", "aac"]),
        Row(codec: "alac", words: ["remux", "flac", "aac"]),
        Row(codec: "opus", words: ["remux", "flac", "aac"]),
        Row(codec: "mp3", words: ["remux", "flac", "aac"]),
        Row(codec: "mp2", words: ["flac", "aac"]),
        Row(codec: "vorbis", words: ["flac", "aac"]),
        Row(codec: "truehd", channels: 8, words: ["eac3", "aac", "flac"]),
        Row(codec: "truehd", channels: 8, mode: .lossless, words: ["flac", "eac3", "aac"]),
        Row(codec: "dts", channels: 6, words: ["eac3", "aac", "flac"]),
        Row(codec: "pcm_s24le", channels: 6, mode: .lossless, words: ["flac", "eac3", "aac"]),
        Row(codec: "wmav2", words: ["flac", "aac"]),
        Row(codec: "ac3", channels: 6, decodable: false, words: ["remux"]),
        Row(codec: "unheard_of", decodable: false, words: []),
    ]

    private func words(_ ladder: [AudioMatrix.Rung]) -> [String] {
        ladder.map { rung in
            switch rung {
            case .remux: "remux"
            case .bridge(let target, _): target.codec.rawValue
            }
        }
    }

    private func facts(_ row: Row) -> AudioMatrix.Facts {
        AudioMatrix.Facts(
            codec: CodecID(rawValue: row.codec),
            profile: row.profile,
            channels: row.channels,
            hasConfiguration: row.hasConfiguration,
            isDecodable: row.decodable
        )
    }

    @Test("has a ladder for every codec", arguments: everything)
    func rows(row: Row) {
        #expect(words(AudioMatrix.ladder(for: facts(row), profile: .everything, mode: row.mode)) == row.words)
    }

    @Test("bridges what the player does not support, with the reason")
    func refusal() throws {
        var profile = PlayerProfile(name: "small", formats: ["mp4a.40.2", "fLaC"], maximumChannels: 2)
        let row = Row(codec: "ac3", channels: 6, words: [])
        let ladder = AudioMatrix.ladder(for: facts(row), profile: profile, mode: .surround)
        #expect(words(ladder) == ["aac", "flac"])
        guard case .bridge(_, let reason) = try #require(ladder.first) else { return }
        #expect(reason == "profile \"small\" does not play ac-3; decoded and encoded to AAC")
        profile.formats = []
        #expect(AudioMatrix.ladder(for: facts(row), profile: profile, mode: .surround).isEmpty)
    }

    @Test("encodes audio that is to be changed, and remuxes it only if that fails or cannot be done")
    func treatment() throws {
        for (row, expected) in [
            (Row(codec: "aac", words: []), ["flac", "aac", "remux"]), (Row(codec: "dts", words: []), ["flac", "aac"]),
            (Row(codec: "aac", decodable: false, words: []), ["remux"]),
        ] {
            var facts = facts(row)
            facts.treatment = "it is night"
            let ladder = AudioMatrix.ladder(for: facts, profile: .everything, mode: .surround)
            #expect(words(ladder) == expected)
            guard row.decodable, case .bridge(_, let reason) = try #require(ladder.first) else { continue }
            let because = row.codec == "aac" ? "it is night" : "HLS does not carry dts"
            #expect(reason == "\(because); decoded and encoded to FLAC")
        }
    }

    @Test(
        "remuxes FLAC of as many bits per sample as the profile allows",
        arguments: [
            (PlayerProfile.everything, 32, "remux"), (.chromium, 24, "remux"), (.chromium, 32, "flac"),
            (.firefox, 0, "remux"),
        ]
    )
    func depths(profile: PlayerProfile, bits: Int, expected: String) {
        let facts = AudioMatrix.Facts(codec: .flac, channels: 2, bitDepth: bits)
        #expect(words(AudioMatrix.ladder(for: facts, profile: profile, mode: .surround)).first == expected)
    }

    @Test("remuxes as many channels as the profile allows", arguments: [(6, ["remux", "aac"]), (7, ["aac"])])
    func channels(channels: Int, expected: [String]) {
        let profile = PlayerProfile(name: "six", formats: ["mp4a.40.2"], maximumChannels: 6)
        let facts = facts(Row(codec: "aac", profile: "LC", channels: channels, words: []))
        #expect(words(AudioMatrix.ladder(for: facts, profile: profile, mode: .surround)) == expected)
    }

    @Test(
        "keeps the channels of a source where the target has them",
        arguments: [
            (0x3F, 0x60F, 0x3F), (0x60F, 0x60F, 0x60F), (0x37, 0x607, 0x37), (0x33, 0x33, 0x33), (0x63F, 0x63F, 0x3F),
            (0x70F, 0x70F, 0x3F), (0xB, 0x60F, 0xB), (0x4, 0x4, 0x4), (0x107, 0x70F, 0x107),
        ]
    )
    func layouts(source: Int, flac: Int, dolby: Int) {
        let target = AudioTarget(codec: .flac, isLosslessSource: true)
        let found = ChannelPlan.choose(for: UInt64(source), among: target.layouts, atMost: 8)
        #expect(found.source.nonzeroBitCount == source.nonzeroBitCount)
        #expect(
            found.target == UInt64(flac) || found.target == UInt64(flac == 0x60F ? 0x3F : flac == 0x607 ? 0x37 : flac)
        )
        #expect(found.target & found.source == found.source)
        let other = AudioTarget(codec: .eac3, isLosslessSource: true)
        #expect(ChannelPlan.choose(for: UInt64(source), among: other.layouts, atMost: 6).target == UInt64(dolby))
    }

    @Test("A player that supports only one format gets it, whatever it prefers", arguments: [1, 2, 6])
    func onlyFormat(channels: Int) {
        let facts = AudioMatrix.Facts(codec: .truehd, channels: channels)
        for (format, codec) in [("ac-3", CodecID.ac3), ("ec-3", .eac3), ("mp4a.40.2", .aac), ("fLaC", .flac)] {
            let profile = PlayerProfile(name: "box", formats: ["avc1", format])
            let ladder = AudioMatrix.ladder(for: facts, profile: profile, mode: .surround)
            guard case .bridge(let target, _)? = ladder.first else {
                Issue.record("no way to \(format)")
                continue
            }
            #expect((ladder.count, target.codec) == (1, codec))
        }
        let silent = PlayerProfile(name: "silent", formats: ["avc1"])
        #expect(AudioMatrix.ladder(for: facts, profile: silent, mode: .lossless).isEmpty)
    }

    @Test("Channels are mixed if the target lacks one of them, however many it has")
    func mixing() {
        // 7.1 to 5.1; octagonal, which has a back centre, to 7.1.
        #expect(ChannelPlan.mixes(0x63F, into: 0x3F))
        #expect(ChannelPlan.mixes(0x737, into: 0x63F))
        // Identical layouts; quad in 5.1; a side pair in back positions.
        #expect(!ChannelPlan.mixes(0x63F, into: 0x63F))
        #expect(!ChannelPlan.mixes(0x33, into: 0x3F))
        #expect(!ChannelPlan.mixes(0x603, into: 0x33))
    }
}
