// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Packaging
import Testing

@testable import Bindings
@testable import Reading

@Suite("Audio frames without times")
struct CountedFramesTests {
    /// An ADTS frame of AAC LC at 48 kHz in stereo: the header and one byte.
    private static let frame: [UInt8] = [0xFF, 0xF1, 0x4C, 0x80, 0x01, 0x1F, 0xFC, 0]

    private func frames(_ codec: CodecID = .aac) -> CountedFrames {
        CountedFrames(streams: [.fixture(1, codec, base: .hertz(90_000))])
    }

    private func packet(_ time: Int64?, bytes: [UInt8] = frame, stream: Int = 1, duration: Int64 = 0) -> Packet {
        Packet(bytes, stream: stream, pts: time, dts: time, duration: duration)
    }

    @Test("frames without a time are counted from the latest stated time")
    func counted() {
        var frames = frames()
        let found = [nil, 1000, nil, nil, 9000, nil].map { frames.timed(packet($0)) }
        #expect(found.map(\.pts) == [nil, 1000, 2920, 4840, 9000, 10_920])
        #expect(found.allSatisfy { $0.duration == 1920 })
    }

    @Test("packets with a duration, invalid frames and packets of other streams stay as they are")
    func unchanged() {
        var frames = frames()
        _ = frames.timed(packet(1000))
        for other in [
            packet(nil, duration: 5), packet(nil, bytes: [1, 2, 3]), packet(nil, stream: 2),
        ] {
            let found = frames.timed(other)
            #expect(found.pts == nil && found.duration == other.duration)
        }
        var others = self.frames(.opus)
        #expect(others.timed(packet(nil)).pts == nil)
    }
}
