// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@Suite("Player profiles")
struct PlayerProfileTests {
    @Test("Every built-in profile is found by name and contains only known values", arguments: PlayerProfile.builtIn)
    func builtIn(profile: PlayerProfile) throws {
        #expect(try PlayerProfile.named(profile.name) == profile)
        try profile.requireKnown()
        // The player must support every codec that audio is bridged to.
        let entries: [CodecID: Set<String>] = [
            .aac: ["mp4a.40.2"], .ac3: ["ac-3"], .eac3: ["ec-3"], .flac: ["fLaC"],
        ]
        for bridge in profile.stereoBridges + profile.surroundBridges {
            #expect(!profile.formats.isDisjoint(with: entries[bridge] ?? []), "\(profile.name): \(bridge.rawValue)")
        }
    }

    @Test("An unknown name is rejected with the list of known names")
    func unknown() {
        #expect(throws: EngineError.self) { try PlayerProfile.named("custom") }
        do throws(EngineError) {
            _ = try PlayerProfile.named("Apple")
            Issue.record("names are in lower case")
        } catch {
            #expect(error.code == .invalidArgument)
            #expect(error.message.contains("apple, chromium, firefox, chromecast, chromecast-surround"))
        }
    }

    private static func changed(_ change: (inout PlayerProfile) -> Void) -> PlayerProfile {
        var profile = PlayerProfile.everything
        change(&profile)
        return profile
    }

    @Test(
        "Invalid values in a custom profile are rejected",
        arguments: [
            ("formats", changed { $0.formats = [] }), ("formats", changed { $0.formats.insert("mp4v") }),
            ("dolby_vision", changed { $0.dolbyVision = ["7"] }),
            ("bit_depths", changed { $0.bitDepths = ["hvc2": 8] }),
            ("bit_depths", changed { $0.bitDepths = ["hvc1": 7] }),
            ("bit_depths", changed { $0.bitDepths = ["fLaC": 33] }),
            ("max_channels", changed { $0.maximumChannels = 65 }),
            ("stereo_bridges", changed { $0.stereoBridges = [.opus] }),
            ("surround_bridges", changed { $0.surroundBridges = [.dts] }),
            ("video_bridges", changed { $0.videoBridges = [.h264, .hevc] }),
        ]
    )
    func refused(field: String, profile: PlayerProfile) {
        do throws(EngineError) {
            try profile.requireKnown()
            Issue.record("\(field) was taken")
        } catch {
            #expect(error.code == .invalidArgument)
            #expect(error.message.hasPrefix("custom_profile.\(field)"))
        }
    }
}

@Suite("How played streams reach the player")
struct PlayingTests {
    private func media(_ routes: [(StreamKind, Route)]) -> MediaDescription {
        var media = MediaDescription()
        media.streams = routes.enumerated().map { index, route in
            var stream = StreamDescription()
            stream.index = index
            (stream.kind, stream.route) = route
            return stream
        }
        return media
    }

    @Test(
        "The most processed of the played streams decides",
        arguments: [
            ([(.video, .remux("a")), (.audio, .bridge("b")), (.audio, .remux("c"))], 1, "bridge"),
            ([(.video, .remux("a")), (.audio, .bridge("b")), (.audio, .remux("c"))], 2, "remux"),
            ([(.video, .software("a")), (.audio, .bridge("b"))], 1, "software"),
            ([(.audio, .bridge("b"))], 0, "bridge"), ([(.video, .none("a"))], nil, "none"), ([], nil, nil),
        ] as [([(StreamKind, Route)], Int?, String?)]
    )
    func summary(routes: [(StreamKind, Route)], audio: Int?, word: String?) {
        #expect(media(routes).route(playing: audio)?.word == word)
    }
}
