// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Bindings

@Suite("ALSA channel maps", .timeLimit(.minutes(10)))
struct AlsaChannelsTests {
    /// The values of `enum snd_pcm_chmap_position`.
    static let numbers: [String: UInt32] = [
        "MONO": 2, "FL": 3, "FR": 4, "RL": 5, "RR": 6, "FC": 7, "LFE": 8, "SL": 9, "SR": 10, "RC": 11, "FLW": 16,
    ]

    static func channels(_ names: String) -> AlsaChannels? {
        AlsaChannels(positions: names.split(separator: " ").compactMap { numbers[String($0)] })
    }

    @Test(
        "Channel maps have libavutil's layout and channel order",
        arguments: [
            ("MONO", "mono", nil),
            ("FL FR", "stereo", nil),
            ("FR FL", "stereo", [1, 0]),
            ("FL FR RL RR", "quad", nil),
            ("FL FR RL RR FC LFE", "5.1", [0, 1, 4, 5, 2, 3]),
            ("FL FR FC LFE SL SR", "5.1(side)", nil),
            ("FL FR FC LFE RC SL SR", "6.1", nil),
            ("FL FR RL RR FC LFE SL SR", "7.1", [0, 1, 4, 5, 2, 3, 6, 7]),
        ] as [(String, String, [Int]?)]
    )
    func names(names: String, layout: String, order: [Int]?) throws {
        let channels = try #require(Self.channels(names))
        #expect(channels.layout == ChannelLayout(named: layout))
        #expect(channels.order == order)
    }

    @Test("Duplicate, unknown or no channels give no map", arguments: ["FL FL", "FL FLW", ""])
    func nothing(names: String) { #expect(Self.channels(names) == nil) }

    @Test("The default maps are mono, stereo and the layouts of surround40 to surround71")
    func usual() {
        #expect(AlsaChannels.usual.map(\.layout.name) == ["mono", "stereo", "quad", "5.0", "5.1", "7.1"])
    }

    @Test(
        "The best mode has as many of the source's channels as possible and the fewest unused ones",
        arguments: [
            ("mono", "stereo"), ("stereo", "stereo"), ("quad", "quad"), ("5.1", "5.1"), ("5.1(side)", "5.1"),
            ("6.1", "5.1"), ("7.1", "7.1"), ("2.1", "5.1"), ("hexadecagonal", "7.1"),
        ]
    )
    func best(source: String, device: String) throws {
        let modes = ["FL FR", "FL FR RL RR", "FL FR RL RR FC LFE", "FL FR RL RR FC LFE SL SR"].compactMap {
            Self.channels($0).map { AlsaMode(channels: $0, samples: .float, rates: [48_000]) }
        }
        let layout = try #require(ChannelLayout(named: source))
        #expect(modes.best(for: layout)?.channels.layout == ChannelLayout(named: device))
    }

    @Test("Side and back channels replace each other only without an exact match")
    func sideAndBack() throws {
        let modes = ["FL FR RL RR FC LFE", "FL FR FC LFE SL SR"].compactMap {
            Self.channels($0).map { AlsaMode(channels: $0, samples: .float, rates: [48_000]) }
        }
        for name in ["5.1", "5.1(side)"] {
            let layout = try #require(ChannelLayout(named: name))
            #expect(modes.best(for: layout)?.channels.layout == layout)
        }
    }

    @Test("Samples are reordered to the device's channel order", arguments: [SampleFormat.float, .int32, .int16])
    func ordered(samples: SampleFormat) throws {
        let channels = try #require(Self.channels("FL FR RL RR FC LFE"))
        let format = AudioFormat(samples: samples, rate: 48_000, layout: channels.layout)
        let width = samples.bytesPerSample
        let numbers = (0..<12).flatMap { number in (0..<width).map { UInt8(number * width + $0) } }
        let order = try #require(channels.order)
        let ordered = SampleBlock(planes: [numbers], count: 2).ordered(order, format)
        let expected = [0, 1, 4, 5, 2, 3, 6, 7, 10, 11, 8, 9].flatMap { number in
            (0..<width).map { UInt8(number * width + $0) }
        }
        #expect(ordered.planes == [expected] && ordered.count == 2)
    }

    @Test(
        "The rate is the source's, otherwise the next higher one, otherwise the highest",
        arguments: [(44_100, 44_100), (48_000, 48_000), (22_050, 44_100), (50_000, 96_000), (192_000, 96_000)]
    )
    func rates(source: Int, device: Int) throws {
        let channels = try #require(Self.channels("FL FR"))
        let mode = AlsaMode(channels: channels, samples: .float, rates: [44_100, 48_000, 96_000])
        #expect(mode.rate(for: source) == device)
    }
}
