// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Bindings
@testable import Reading

@Suite("Times of the frames of a lace")
struct LaceClockTests {
    /// One Opus frame of 20 ms, and one of 2.5 ms (RFC 6716 §3.1).
    private static let long: [UInt8] = [31 << 3]
    private static let short: [UInt8] = [28 << 3]
    /// A code 3 packet that ends before its frame count byte (RFC 6716 §3.2.5).
    private static let damaged: [UInt8] = [31 << 3 | 3]

    private func stream(_ index: Int, _ codec: CodecID, _ kind: StreamKind = .audio) -> StreamInfo {
        StreamInfo(
            index: index,
            identifier: index,
            codec: codec,
            kind: kind,
            timeBase: TimeBase(1, 1000),
            extradata: [],
            initialPadding: 0,
            frameLength: 0,
            startTime: nil,
            duration: nil,
            width: 0,
            height: 0
        )
    }

    private func times(_ packets: [([UInt8], Int64?)], stream: Int = 0) -> [Int64?] {
        var clock = LaceClock(streams: [self.stream(0, .opus), self.stream(1, .aac)])
        return packets.map { clock.timed(Packet($0.0, stream: stream, pts: $0.1))?.pts }
    }

    @Test("frames without a time follow the last frame that has one")
    func run() {
        let lace: [([UInt8], Int64?)] = [(Self.long, 100), (Self.long, nil), (Self.short, nil), (Self.long, 500)]
        #expect(times(lace + [(Self.long, nil)]) == [100, 120, 140, 500, 520])
    }

    @Test("rounding errors do not add up")
    func rounding() {
        let lace: [([UInt8], Int64?)] = [(Self.short, 0)] + Array(repeating: (Self.short, nil), count: 400)
        #expect(times(lace)[400] == 1000)
    }

    @Test("packets without a time are before zero and left out: audio until its first time, video always")
    func beforeZero() {
        var clock = LaceClock(streams: [stream(0, .aac), stream(1, .h264, .video), stream(2, .aac, .subtitle)])
        func kept(_ stream: Int, _ times: [Int64?]) -> [Bool] {
            times.map { clock.timed(Packet([1], stream: stream, pts: $0)) != nil }
        }
        #expect(kept(0, [nil, 0, nil]) == [false, true, true])
        #expect(kept(1, [nil, 0, nil, 40]) == [false, true, false, true])
        #expect(kept(2, [nil, 0]) == [true, true])
        let decoded = Packet([1], stream: 1, dts: 0)
        #expect(clock.timed(decoded) != nil, "AVI in Matroska states decode times")
    }

    @Test("no time is guessed before the first one, after a frame of unknown length, or for other codecs")
    func unknown() {
        #expect(times([(Self.long, nil), (Self.long, 7), (Self.long, nil)]) == [nil, 7, 27])
        #expect(times([(Self.long, 0), (Self.damaged, nil), (Self.long, nil)]) == [0, 20, nil])
        #expect(times([(Self.damaged, 0), (Self.long, nil)]) == [0, nil])
        #expect(times([(Self.long, 0), (Self.long, nil)], stream: 1) == [0, nil])
    }
}
