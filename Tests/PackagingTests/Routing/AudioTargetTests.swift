// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Packaging
import Testing

@Suite("Bridged audio", .timeLimit(.minutes(10)))
struct AudioTargetTests {
    private func target(_ codec: CodecID) -> AudioTarget { AudioTarget(codec: codec, isLosslessSource: false) }

    @Test(
        "has a bit rate for its codec and channels",
        arguments: [
            (.eac3, 6, 768_000), (.ac3, 2, 256_000), (.ac3, 5, 640_000), (.ac3, 6, 640_000), (.flac, 6, 0),
            (.aac, 1, 96_000), (.aac, 2, 160_000),
        ] as [(CodecID, Int, Int)]
    )
    func bitRate(codec: CodecID, channels: Int, bits: Int) {
        #expect(target(codec).bitRate(channels: channels) == bits)
    }

    @Test(
        "keeps the sample rate of its source where the format supports it",
        arguments: [
            (.eac3, 44_100, 44_100), (.eac3, 96_000, 48_000), (.aac, 96_000, 96_000), (.aac, 192_000, 48_000),
            (.flac, 192_000, 192_000), (.flac, 384_000, 192_000), (.flac, 11_111, 11_111),
        ] as [(CodecID, Int, Int)]
    )
    func rate(codec: CodecID, source: Int, encoded: Int) { #expect(target(codec).rate(for: source) == encoded) }

    @Test(
        "begins with frames that are discarded, where the encoder needs them",
        arguments: [(.eac3, 2), (.ac3, 2), (.aac, 4), (.flac, 0)] as [(CodecID, Int)]
    )
    func leadingFrames(codec: CodecID, frames: Int) { #expect(target(codec).leadingFrames == frames) }

    @Test(
        "is decoded from early enough that the start of decoding is not heard",
        arguments: [
            ("aac", 1024, 0.3), ("aac", 2048, 3), ("aac_latm", 2048, 3), ("mp3", 2048, 0.3), ("ac3", 1536, 0.15),
            ("truehd", 0, 0.35), ("pcm_dvd", 0, 6), ("pcm_s16le", 0, 0.1), ("wmav2", 2048, 1), ("flac", 4096, 0.5),
        ]
    )
    func preroll(codec: String, frameLength: Int64, seconds: Double) {
        #expect(AudioMatrix.preroll(of: CodecID(rawValue: codec), frameLength: frameLength) == seconds)
    }

    @Test(
        "comes from a lossless source only for some codecs and profiles",
        arguments: [
            ("dts", "DTS-HD MA", true), ("dts", "DTS-HD HRA", false), ("pcm_s24le", "", true), ("pcm_mulaw", "", false),
            ("truehd", "", true), ("aac", "LC", false),
        ]
    )
    func lossless(codec: String, profile: String, isLossless: Bool) {
        let facts = AudioMatrix.Facts(codec: CodecID(rawValue: codec), profile: profile, channels: 2)
        #expect(AudioMatrix.isLossless(facts) == isLossless)
    }
}
