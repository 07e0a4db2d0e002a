// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineTestKit
import Testing

@testable import EngineActors

@Suite("A bridged track", .needsFFmpegCommand, .timeLimit(.minutes(10)))
struct BridgeTests {
    struct Source: Sendable, CustomTestStringConvertible {
        let name: String
        let encoding: String
        var layout = "stereo"
        var channels = 2
        var hasVideo = true

        var testDescription: String { "\(name) \(layout)" }
    }

    static let lossless: [Source] = [
        Source(name: "s16.mkv", encoding: "-c:a pcm_s16le"),
        Source(name: "s24-5.1.mkv", encoding: "-c:a pcm_s24le", layout: "5.1", channels: 6),
        Source(name: "s24-7.1.mkv", encoding: "-c:a pcm_s24le", layout: "7.1", channels: 8),
        Source(name: "s16be.mov", encoding: "-c:a pcm_s16be"),
        Source(name: "s24be.mov", encoding: "-c:a pcm_s24be", layout: "quad", channels: 4),
        Source(name: "u8.wav", encoding: "-c:a pcm_u8", hasVideo: false),
        Source(name: "s24.wav", encoding: "-c:a pcm_s24le", hasVideo: false),
        Source(name: "s16.aiff", encoding: "-c:a pcm_s16be", hasVideo: false),
        Source(name: "bluray.m2ts", encoding: "-c:a pcm_bluray", layout: "5.1(side)", channels: 6),
        Source(name: "truehd.mkv", encoding: "-c:a truehd", layout: "5.1(side)", channels: 6),
        Source(name: "mlp.mkv", encoding: "-c:a mlp"),
    ]

    @Test("in lossless mode holds what ffmpeg decodes, to the bit and across joints", arguments: lossless)
    func exact(source: Source) async throws {
        let clip = try SoundClip(source.name, source.encoding, layout: source.layout, hasVideo: source.hasVideo)
        defer { clip.remove() }
        let served = try await clip.served(mode: .lossless)
        let expected = try clip.decoded(channels: source.channels)
        let found = try clip.samples(of: served.bytes, channels: source.channels)
        #expect(found.count == expected.count)
        let first = zip(found, expected).enumerated().first { $1.0 != $1.1 }?.offset
        #expect(first == nil, "sample \((first ?? 0) / source.channels) of \(expected.count / source.channels)")
    }

    static let lossy: [Source] = [
        Source(name: "dts.mkv", encoding: "-c:a dca", layout: "5.1(side)", channels: 6),
        Source(name: "raw.dts", encoding: "-c:a dca", layout: "5.1(side)", channels: 6, hasVideo: false),
        Source(name: "vorbis.ogg", encoding: "-c:a libvorbis", hasVideo: false),
        Source(name: "mp2.ts", encoding: "-c:a mp2"),
        Source(name: "wma.mkv", encoding: "-c:a wmav2"),
        Source(name: "7.1.mkv", encoding: "-c:a pcm_s16le", layout: "7.1", channels: 8),
    ]

    @Test("is the same bytes in whatever order and by whichever engine it is made", arguments: lossy + lossless)
    func pure(source: Source) async throws {
        let clip = try SoundClip(source.name, source.encoding, layout: source.layout, hasVideo: source.hasVideo)
        defer { clip.remove() }
        let linear = try await clip.served(mode: .surround)
        let backwards = try await clip.served(mode: .surround) { $0.reversed() }
        let odd = try await clip.served(mode: .surround) { order in
            order.filter { $0 % 2 == 1 } + order.filter { $0 % 2 == 0 }
        }
        #expect(linear.bytes.count > 1000)
        #expect(linear.bytes == backwards.bytes)
        #expect(linear.bytes == odd.bytes)
    }

    @Test("keeps every channel in its place", arguments: ["quad", "5.1", "5.1(side)"])
    func channels(layout: String) async throws {
        let count = layout == "quad" ? 4 : 6
        let clip = try SoundClip("channels.mkv", "-c:a pcm_s16le", layout: layout)
        defer { clip.remove() }
        let served = try await clip.served(mode: .surround)
        let found = Self.levels(try clip.samples(of: served.bytes, channels: count), channels: count)
        let expected = Self.levels(try clip.decoded(channels: count), channels: count)
        let delivery = try #require(served.state.media?.streams.compactMap(\.delivery).first { $0.audio != nil })
        #expect(delivery.codecString == "ec-3")
        #expect(delivery.audio?.channels == count)
        // Of E-AC-3's low frequency channel nothing above 120 Hz remains.
        for channel in 0..<count where !(count == 6 && channel == 3) {
            #expect(abs(found[channel] - expected[channel]) < 0.1 * expected[channel], "channel \(channel)")
        }
    }

    @Test("goes down the ladder by what the player takes")
    func ladder() async throws {
        let clip = try SoundClip("dts.mkv", "-c:a dca", layout: "5.1(side)")
        defer { clip.remove() }
        var profile = PlayerProfile.everything
        profile.formats.subtract(["ec-3", "ac-3"])
        profile.name = "custom"
        let served = try await clip.served(mode: .surround, profile: profile)
        let stream = try #require(served.state.media?.streams.first { $0.kind == .audio })
        #expect(stream.route.word == "bridge")
        #expect(stream.route.reason.hasPrefix("dts is not carried"))
        #expect(stream.delivery?.codecString == "mp4a.40.2")
        #expect(stream.delivery?.audio?.channels == 6)
        #expect(stream.codec == .dts)
    }

    /// The mean level of each channel.
    private static func levels(_ samples: [Int32], channels: Int) -> [Double] {
        (0..<channels).map { channel in
            let own = stride(from: channel, to: samples.count, by: channels).map { Double(samples[$0]) }
            return (own.reduce(0) { $0 + $1 * $1 } / Double(max(1, own.count))).squareRoot()
        }
    }
}
