// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineTestKit
import Foundation
import Testing

@testable import Sessions

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

    /// Sources whose segments are joined in different ways: PCM in packets of any length, Blu-ray PCM, and TrueHD in
    /// units of 1/1200 s whose times are rounded to 1 ms.
    static let lossless: [Source] = [
        Source(name: "s24-7.1.mkv", encoding: "-c:a pcm_s24le", layout: "7.1", channels: 8),
        Source(name: "u8.wav", encoding: "-c:a pcm_u8", hasVideo: false),
        Source(name: "bluray.m2ts", encoding: "-c:a pcm_bluray", layout: "5.1(side)", channels: 6),
        Source(name: "truehd.mkv", encoding: "-c:a truehd"),
    ]

    @Test("in lossless mode equals what ffmpeg decodes, bit for bit and across segment joins", arguments: lossless)
    func exact(source: Source) async throws {
        let clip = try AudioClip(source.name, source.encoding, layout: source.layout, hasVideo: source.hasVideo)
        defer { clip.remove() }
        let served = try await clip.served(mode: .lossless)
        let expected = try clip.decoded(channels: source.channels)
        let found = try clip.samples(of: served.bytes, channels: source.channels)
        #expect(found.count == expected.count)
        guard found != expected else { return }
        let first = zip(found, expected).enumerated().first { $1.0 != $1.1 }?.offset ?? min(found.count, expected.count)
        Issue.record("sample \(first / 4 / source.channels) of \(expected.count / 4 / source.channels) differs")
    }

    static let mixed: [Source] = [
        Source(name: "raw.dts", encoding: "-c:a dca", layout: "5.1(side)", channels: 6, hasVideo: false),
        Source(name: "vorbis.ogg", encoding: "-c:a libvorbis", hasVideo: false),
        Source(name: "mp2.ts", encoding: "-c:a mp2"),
        Source(name: "wma.mkv", encoding: "-c:a wmav2"),
        Source(name: "7.1.mkv", encoding: "-c:a pcm_s16le", layout: "7.1", channels: 8),
        Source(name: "mlp.mkv", encoding: "-c:a mlp"),
    ]

    @Test("has the same bytes in any order of requests and from any engine", arguments: mixed)
    func pure(source: Source) async throws {
        let clip = try AudioClip(source.name, source.encoding, layout: source.layout, hasVideo: source.hasVideo)
        defer { clip.remove() }
        let linear = try await clip.served(mode: .surround)
        let odd = try await clip.served(mode: .surround) { order in
            order.filter { $0 % 2 == 1 }.reversed() + order.filter { $0 % 2 == 0 }.reversed()
        }
        #expect(linear.bytes.count > 1000)
        #expect(linear.bytes == odd.bytes)
    }

    @Test("ends where the source ends: with the frame that holds its last sample", arguments: ["mka", "ogg", "mp4"])
    func end(container: String) async throws {
        let clip = try AudioClip("opus.\(container)", "-c:a libopus", hasVideo: false)
        defer { clip.remove() }
        let served = try await clip.served(mode: .surround, profile: .apple)
        // 2.6 s at 48 kHz are 121.9 AAC frames. With the padding in the last Opus packet, they would be 122.5.
        #expect(try clip.samples(of: served.bytes, channels: 2).count == 122 * 1024 * 2 * 4)
    }

    @Test("keeps every channel in its position", arguments: ["quad", "5.1(side)"])
    func channels(layout: String) async throws {
        let count = layout == "quad" ? 4 : 6
        let clip = try AudioClip("channels.mkv", "-c:a pcm_s16le", layout: layout)
        defer { clip.remove() }
        let served = try await clip.served(mode: .surround)
        let found = Self.levels(try clip.samples(of: served.bytes, channels: count), channels: count)
        let expected = Self.levels(try clip.decoded(channels: count), channels: count)
        let delivery = try #require(served.state.media?.streams.compactMap(\.delivery).first { $0.audio != nil })
        #expect(delivery.codecString == "ec-3")
        #expect(delivery.audio?.channels == count)
        // E-AC-3's low-frequency channel contains nothing above 120 Hz.
        for channel in 0..<count where !(count == 6 && channel == 3) {
            #expect(abs(found[channel] - expected[channel]) < 0.1 * expected[channel], "channel \(channel)")
        }
    }

    @Test("has the first format of the profile's list that the player supports")
    func ladder() async throws {
        let clip = try AudioClip("dts.mkv", "-c:a dca", layout: "5.1(side)")
        defer { clip.remove() }
        var profile = PlayerProfile.everything
        profile.formats.subtract(["ec-3", "ac-3"])
        profile.name = "custom"
        let served = try await clip.served(mode: .surround, profile: profile)
        let stream = try #require(served.state.media?.streams.first { $0.kind == .audio })
        #expect(stream.route.word == "bridge")
        #expect(stream.route.reason.contains("HLS does not carry dts"))
        #expect(stream.delivery?.codecString == "mp4a.40.2")
        #expect(stream.delivery?.audio?.channels == 6)
        #expect(stream.codec == .dts)
    }

    @Test("has the next format of the profile's list if there is no encoder for the first")
    func missingEncoder() async throws {
        let clip = try AudioClip("s16.wav", "-c:a pcm_s16le", hasVideo: false)
        defer { clip.remove() }
        var profile = PlayerProfile.everything
        profile.stereoBridges = [CodecID(rawValue: "nobody_encodes_this"), .flac]
        let served = try await clip.served(mode: .surround, profile: profile)
        let stream = try #require(served.state.media?.streams.first { $0.kind == .audio })
        #expect(stream.delivery?.codec == .flac)
        #expect(try clip.samples(of: served.bytes, channels: 2) == clip.decoded(channels: 2))
    }

    /// The root mean square of each channel.
    private static func levels(_ samples: Data, channels: Int) -> [Double] {
        let bytes = [UInt8](samples)
        return (0..<channels).map { channel in
            // The two high bytes of every third sample are enough to measure the level.
            let own = stride(from: 4 * channel + 2, to: bytes.count - 1, by: 12 * channels).map { at in
                Double(Int16(truncatingIfNeeded: UInt16(bytes[at]) | UInt16(bytes[at + 1]) << 8))
            }
            return (own.reduce(0) { $0 + $1 * $1 } / Double(max(1, own.count))).squareRoot()
        }
    }
}
