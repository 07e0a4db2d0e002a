// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Bindings
@testable import Reading

@Suite("How much of a packet is heard")
struct AudioLengthsTests {
    /// An Opus frame of 20 ms, that is 960 samples (RFC 6716 §3.1).
    private static let opus: [UInt8] = [31 << 3]
    /// The header of a FLAC frame of 1152 samples (RFC 9639 §9.1).
    private static let flac: [UInt8] = [0xFF, 0xF8, 0x39, 0x18, 0, 0]
    /// STREAMINFO: blocks of 16 to 4608 samples at 32 kHz, stereo, 16 bits (RFC 9639 §8.2).
    private static let streamInfo: [UInt8] =
        [0, 16, 18, 0, 0, 0, 0, 0, 0, 0, 0x07, 0xD0, 0x02, 0xF0] + [UInt8](repeating: 0, count: 20)

    private func stream(_ index: Int, _ codec: CodecID, _ extradata: [UInt8] = []) -> StreamInfo {
        StreamInfo(
            index: index,
            identifier: index,
            codec: codec,
            kind: .audio,
            timeBase: TimeBase(1, 1000),
            extradata: extradata,
            initialPadding: 0,
            frameLength: 0,
            startTime: nil,
            duration: nil,
            width: 0,
            height: 0
        )
    }

    private var lengths: AudioLengths {
        AudioLengths(streams: [stream(0, .aac), stream(1, .opus), stream(2, .flac, Self.streamInfo), stream(3, .flac)])
    }

    @Test(
        "a packet is left out if decoders discard all of its samples, and kept if one is heard",
        arguments: [(0, 20), (1, 20), (959, 1), (960, nil), (2000, nil)] as [(UInt32, Int64?)]
    )
    func trimmed(samples: UInt32, duration: Int64?) {
        let packet = Packet(Self.opus, stream: 1, pts: 0, trimmedSampleCount: samples)
        #expect(packet.trimmedSampleCount == Int(samples))
        #expect(lengths.heard(packet)?.duration == duration)
        // libavformat states a duration of at least one tick.
        let stated = Packet(Self.opus, stream: 1, pts: 0, duration: 1, trimmedSampleCount: samples)
        #expect(lengths.heard(stated)?.duration == duration.map { _ in 1 })
    }

    @Test("a packet of audio without bytes is left out", arguments: 0...3)
    func empty(stream: Int) {
        #expect(lengths.heard(Packet([], stream: stream, pts: 0, duration: 7, newPrivateData: [1])) == nil)
        #expect(lengths.heard(Packet([], stream: 9, pts: 0)) != nil)
    }

    @Test(
        "a packet without a duration gets the duration of its frame, if its bytes state that",
        arguments: [(2, flac, 36), (3, flac, 0), (2, [1, 2, 3], 0), (1, [0xFB], 0), (0, opus, 0)]
            as [(Int, [UInt8], Int64)]
    )
    func missing(stream: Int, bytes: [UInt8], duration: Int64) {
        #expect(lengths.heard(Packet(bytes, stream: stream, pts: 0))?.duration == duration)
        #expect(lengths.heard(Packet(bytes, stream: stream, pts: 0, duration: 7))?.duration == 7)
        #expect(lengths.heard(Packet(bytes, stream: stream, pts: 5))?.pts == 5)
    }
}
