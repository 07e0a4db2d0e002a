// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Packaging

@Suite("Audio tracks of one presentation")
struct AudioFamiliesTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let profile: PlayerProfile
        var mode = BridgeMode.surround
        /// Codec and channels of each track.
        let tracks: [(String, Int)]
        /// How each track is served: `remux`, the codec that it is encoded to, or `–`.
        let becomes: [String]

        var testDescription: String { "\(profile.name) \(mode) \(tracks.map { "\($0.0) \($0.1)" })" }
    }

    private static let mixed: [(String, Int)] = [("aac", 2), ("ac3", 6), ("opus", 2)]
    private static let four: [(String, Int)] = [("eac3", 6), ("aac", 2), ("flac", 2), ("opus", 2)]
    private static let commentary: [(String, Int)] = [("ac3", 6), ("ac3", 2)]

    static let rows: [Row] = [
        // The player accepts all formats side by side.
        Row(profile: .everything, tracks: mixed, becomes: ["remux", "remux", "remux"]),
        Row(profile: .everything, tracks: four, becomes: ["remux", "remux", "remux", "remux"]),
        Row(profile: .everything, tracks: commentary, becomes: ["remux", "remux"]),
        Row(profile: .everything, tracks: [("dts", 6), ("mp2", 2)], becomes: ["eac3", "flac"]),
        // If the player accepts Dolby Digital, the track with the most channels stays unchanged.
        Row(profile: .apple, tracks: mixed, becomes: ["ac3", "remux", "ac3"]),
        Row(profile: .apple, tracks: four, becomes: ["remux", "eac3", "eac3", "eac3"]),
        Row(profile: .apple, tracks: commentary, becomes: ["remux", "remux"]),
        Row(profile: .apple, tracks: [("aac", 6), ("ac3", 2)], becomes: ["remux", "aac"]),
        Row(profile: .apple, tracks: [("dts", 6), ("mp2", 2)], becomes: ["eac3", "eac3"]),
        Row(profile: .apple, tracks: [("alac", 2), ("alac", 2)], becomes: ["remux", "remux"]),
        Row(profile: .chromium, tracks: mixed, becomes: ["remux", "aac", "aac"]),
        Row(profile: .chromium, tracks: four, becomes: ["aac", "remux", "aac", "aac"]),
        Row(profile: .chromium, tracks: commentary, becomes: ["aac", "aac"]),
        Row(profile: .chromium, tracks: [("aac", 2), ("flac", 2)], becomes: ["remux", "aac"]),
        Row(profile: .chromium, tracks: [("aac", 2), ("flac", 6)], becomes: ["flac", "remux"]),
        Row(profile: .chromium, tracks: [("opus", 6), ("opus", 2)], becomes: ["remux", "remux"]),
        // There is no encoder for Opus.
        Row(profile: .chromium, tracks: [("opus", 6), ("aac", 2)], becomes: ["aac", "remux"]),
        // A format in which no track loses anything compared with being the only track.
        Row(profile: .chromium, tracks: [("mp2", 2), ("vorbis", 2)], becomes: ["flac", "flac"]),
        Row(profile: .chromium, mode: .lossless, tracks: [("aac", 6), ("pcm_s16le", 2)], becomes: ["flac", "flac"]),
        Row(profile: .chromium, mode: .lossless, tracks: [("aac", 6), ("aac", 2)], becomes: ["remux", "remux"]),
        Row(profile: .firefox, tracks: mixed, becomes: ["remux", "aac", "aac"]),
        Row(profile: .firefox, tracks: four, becomes: ["aac", "remux", "aac", "aac"]),
        Row(profile: .firefox, tracks: commentary, becomes: ["aac", "aac"]),
        Row(profile: .chromecast, tracks: mixed, becomes: ["remux", "aac", "aac"]),
        Row(profile: .chromecast, tracks: four, becomes: ["aac", "remux", "aac", "aac"]),
        Row(profile: .chromecast, tracks: commentary, becomes: ["aac", "aac"]),
        Row(profile: .chromecastSurround, tracks: mixed, becomes: ["ac3", "remux", "ac3"]),
        Row(profile: .chromecastSurround, tracks: four, becomes: ["remux", "eac3", "eac3", "eac3"]),
        Row(profile: .chromecastSurround, tracks: commentary, becomes: ["remux", "remux"]),
        Row(profile: .chromecast, tracks: [("mp3", 2), ("opus", 2)], becomes: ["aac", "aac"]),
    ]

    private func facts(_ tracks: [(String, Int)]) -> [Int: AudioMatrix.Facts] {
        let facts = tracks.map { AudioMatrix.Facts(codec: CodecID(rawValue: $0.0), profile: "LC", channels: $0.1) }
        return Dictionary(uniqueKeysWithValues: facts.enumerated().map { ($0.offset + 1, $0.element) })
    }

    private func words(_ ladders: [Int: [AudioMatrix.Rung]]) -> [String] {
        ladders.sorted { $0.key < $1.key }.map { _, ladder in
            switch ladder.first {
            case .remux: "remux"
            case .bridge(let target, _): target.codec.rawValue
            case nil: "–"
            }
        }
    }

    @Test("are brought to formats that the player accepts side by side", arguments: rows)
    func row(row: Row) throws {
        let ladders = AudioFamilies.ladders(for: facts(row.tracks), profile: row.profile, mode: row.mode)
        #expect(words(ladders) == row.becomes)
        // No fallback leaves the family.
        let formats = Set(ladders.values.joined().map(\.format))
        #expect(row.profile.audioFamilies.isEmpty || row.profile.audioFamilies.contains { formats.isSubset(of: $0) })
    }

    @Test("keep their own ladder if there is only one", arguments: PlayerProfile.builtIn)
    func alone(profile: PlayerProfile) {
        for codec in ["aac", "ac3", "flac", "opus", "mp2", "dts"] {
            let facts = facts([(codec, 6)])
            let ladder = facts[1].map { AudioMatrix.ladder(for: $0, profile: profile, mode: .surround) }
            #expect(AudioFamilies.ladders(for: facts, profile: profile, mode: .surround) == [1: ladder])
        }
    }

    @Test("take the format of a track that can only be remuxed; a track that has no way to that format is left out")
    func undecodable() throws {
        var tracks = facts([("opus", 2), ("aac", 2), ("flac", 2)])
        tracks[3]?.isDecodable = false
        #expect(
            words(AudioFamilies.ladders(for: tracks, profile: .chromium, mode: .surround)) == [
                "flac", "flac", "remux",
            ]
        )
        tracks[1]?.isDecodable = false
        #expect(
            words(AudioFamilies.ladders(for: tracks, profile: .chromium, mode: .surround)) == ["–", "flac", "remux"]
        )
    }

    @Test("change together if one of them turns out not to be remuxable")
    func refused() {
        var tracks = facts([("opus", 2), ("opus", 6)])
        tracks[1]?.isRemuxable = false
        #expect(words(AudioFamilies.ladders(for: tracks, profile: .chromium, mode: .surround)) == ["flac", "flac"])
    }

    @Test("have a reason if they are not remuxed")
    func reason() {
        let ladders = AudioFamilies.ladders(for: facts(Self.mixed), profile: .chromium, mode: .surround)
        guard case .bridge(_, let reason) = ladders[3]?.first else {
            Issue.record("Opus is not bridged")
            return
        }
        #expect(
            reason
                == "profile \"chromium\" does not play Opus beside the format of the other tracks; decoded and encoded to AAC"
        )
    }
}
