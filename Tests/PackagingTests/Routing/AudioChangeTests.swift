// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Packaging

@Suite("Audio that goes on in another format")
struct AudioChangeTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let profile: PlayerProfile
        /// The format in which the track is served, as profiles name it.
        let served: String
        let codec: String
        var name = ""
        var channels = 2
        var hasConfiguration = true
        var isDecodable = true
        var mode = BridgeMode.surround
        /// The formats of the other tracks.
        var others: Set<String> = []
        /// A format with `+` is that of a version; any other is the codec that the audio is encoded to.
        let ways: [String]

        var testDescription: String { "\(profile.name) \(served) \(codec) \(name) \(channels)" }
    }

    static let rows: [Row] = [
        // The player accepts all formats side by side.
        Row(
            profile: .everything,
            served: "mp4a.40.2",
            codec: "ac3",
            channels: 6,
            ways: ["+ac-3", "aac", "eac3", "flac"]
        ),
        Row(profile: .everything, served: "ac-3", codec: "aac", ways: ["+mp4a.40.2", "ac3", "flac", "aac"]),
        Row(profile: .everything, served: "mp4a.40.2", codec: "mp3", ways: ["+mp4a.6B", "aac", "flac"]),
        Row(profile: .everything, served: "fLaC", codec: "dts", channels: 6, ways: ["flac", "eac3", "aac"]),
        // There is no encoder for MP3, but others are accepted beside it.
        Row(profile: .everything, served: "mp4a.6B", codec: "mp2", ways: ["flac", "aac"]),
        // The same codec, and another profile of it.
        Row(profile: .chromium, served: "mp4a.40.2", codec: "aac", ways: ["+mp4a.40.2", "aac"]),
        Row(profile: .chromium, served: "mp4a.40.2", codec: "aac", name: "HE-AAC", ways: ["+mp4a.40.5", "aac"]),
        Row(
            profile: .chromium,
            served: "mp4a.40.2",
            codec: "aac",
            name: "HE-AAC",
            hasConfiguration: false,
            ways: ["aac"]
        ),
        Row(profile: .apple, served: "ec-3", codec: "eac3", channels: 6, ways: ["+ec-3", "eac3"]),
        // More channels than the player supports.
        Row(profile: .chromecast, served: "mp4a.40.2", codec: "aac", channels: 8, ways: ["aac"]),
        // The player does not accept the format beside that of the track.
        Row(profile: .apple, served: "mp4a.40.2", codec: "ac3", channels: 6, ways: ["aac"]),
        Row(profile: .apple, served: "ac-3", codec: "aac", ways: ["ac3"]),
        Row(profile: .apple, served: "mp4a.40.2", codec: "mp3", ways: ["aac"]),
        Row(profile: .apple, served: "ac-3", codec: "eac3", channels: 6, ways: ["ac3"]),
        Row(profile: .chromium, served: "mp4a.40.5", codec: "ac3", ways: ["aac"]),
        Row(profile: .chromium, served: "fLaC", codec: "aac", ways: ["flac"]),
        Row(profile: .chromium, served: "mp4a.40.2", codec: "flac", mode: .lossless, ways: ["aac"]),
        // Beside another track of the same format, the player accepts the format.
        Row(profile: .apple, served: "ac-3", codec: "ac3", others: ["ac-3"], ways: ["+ac-3", "ac3"]),
        // There is neither an encoder for the format of the track, nor for one that is accepted beside it.
        Row(profile: .chromium, served: "Opus", codec: "aac", ways: []),
        Row(profile: .apple, served: "mp4a.6B", codec: "aac", ways: []),
        // Nothing can be encoded without a decoder.
        Row(profile: .apple, served: "mp4a.40.2", codec: "ac3", isDecodable: false, ways: []),
        Row(profile: .everything, served: "mp4a.40.2", codec: "ac3", isDecodable: false, ways: ["+ac-3"]),
    ]

    @Test(
        "audio continues unchanged if the player accepts its format, otherwise in a format that can be encoded, if any",
        arguments: rows
    )
    func ways(_ row: Row) {
        var facts = AudioMatrix.Facts(codec: CodecID(rawValue: row.codec), profile: row.name, channels: row.channels)
        facts.hasConfiguration = row.hasConfiguration
        facts.isDecodable = row.isDecodable
        let ways = AudioChange.ways(
            for: facts,
            in: row.served,
            beside: row.others,
            profile: row.profile,
            mode: row.mode
        )
        let found = ways.map { way in
            switch way {
            case .version(let format): "+\(format)"
            case .bridge(let target): target.codec.rawValue
            }
        }
        #expect(found == row.ways)
    }

    @Test(
        "other codecs may follow only if the player accepts them beside the first",
        arguments: [
            (PlayerProfile.everything, "mp4a.40.2", true), (PlayerProfile.apple, "mp4a.40.2", false),
            (PlayerProfile.apple, "ec-3", false), (PlayerProfile.chromium, "Opus", false),
        ]
    )
    func others(_ profile: PlayerProfile, _ served: String, _ accepts: Bool) {
        #expect(AudioChange.accepts(othersBeside: served, profile) == accepts)
    }
}
