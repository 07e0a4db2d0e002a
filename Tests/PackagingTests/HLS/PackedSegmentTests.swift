// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Packaging
import Testing

@Suite("A segment that is read back")
struct PackedSegmentTests {
    private let track = Track(codec: .aac, timescale: 1000)

    struct Shape {
        let time: Int64
        let offset: Int32
        let duration: UInt32
        let sync: Bool
        let size: Int
    }

    private func body(_ samples: [Shape]) -> ByteBody {
        MediaSegment.body(
            sequenceNumber: 9,
            track: track,
            samples: samples.enumerated().map { index, sample in
                Sample(
                    decodeTime: sample.time,
                    compositionOffset: sample.offset,
                    duration: sample.duration,
                    isSync: sample.sync,
                    payload: ArrayRegion([UInt8](repeating: UInt8(index + 1), count: sample.size))
                )
            }
        )
    }

    private static let uniform: [Shape] = (0..<4).map {
        Shape(time: Int64(100 + $0 * 20), offset: 0, duration: 20, sync: true, size: 3)
    }
    private static let mixed = [
        Shape(time: 100, offset: 40, duration: 40, sync: true, size: 5),
        Shape(time: 140, offset: 80, duration: 40, sync: false, size: 2),
        Shape(time: 180, offset: -40, duration: 41, sync: false, size: 7),
        Shape(time: 221, offset: 0, duration: 40, sync: true, size: 1),
    ]

    @Test("has the same bytes if it is moved by 0 ticks", arguments: [uniform, mixed])
    func same(samples: [Shape]) throws {
        let body = body(samples)
        #expect(try PackedSegment(body).moved(by: 0, track).joined == body.joined)
        // The division of the bytes into regions does not matter.
        #expect(try PackedSegment(ByteBody(body.joined)).moved(by: 0, track).joined == body.joined)
    }

    @Test("has its samples at other times once moved, except those before 0", arguments: [7, 500, -100, -130, -999])
    func moved(ticks: Int64) throws {
        let kept = Self.uniform.map { $0.time + ticks }.filter { $0 >= 0 }
        let dropped = Self.uniform.count - kept.count
        let found = try PackedSegment(body(Self.uniform)).moved(by: ticks, track)
        let again = try PackedSegment(found)
        #expect(again.times == kept)
        let payload = (dropped..<4).flatMap { [UInt8](repeating: UInt8($0 + 1), count: 3) }
        #expect(Array(found.joined.suffix(payload.count)) == payload)
        if dropped == 0 { #expect(found.byteCount == body(Self.uniform).byteCount) }
    }

    @Test("returns the presentation times of its samples")
    func times() throws { #expect(try PackedSegment(body(Self.mixed)).times == [140, 140, 220, 221]) }

    @Test("is rejected or loses samples if its bytes are damaged, and never traps")
    func hostile() {
        let bytes = body(Self.mixed).joined
        for length in 0..<bytes.count {
            _ = try? PackedSegment(ByteBody(Array(bytes.prefix(length)))).moved(by: -5, track)
        }
        for place in bytes.indices {
            for value: UInt8 in [0, 0x7F, 0xFF] {
                var bytes = bytes
                bytes[place] = value
                _ = try? PackedSegment(ByteBody(bytes)).moved(by: -5, track)
            }
        }
    }
}
