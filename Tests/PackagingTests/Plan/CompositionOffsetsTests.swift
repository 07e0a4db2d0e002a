// SPDX-License-Identifier: Apache-2.0

import EngineTestKit
import Testing

@testable import Packaging

@Suite("Reading a movie's composition times")
struct CompositionOffsetsTests {
    private func word(_ value: UInt32) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }
    private func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
        word(UInt32(content.count + 8)) + Array(type.utf8) + content
    }

    private func movie(_ runs: [(UInt32, Int32)]) -> [UInt8] {
        let table = word(0) + word(UInt32(runs.count)) + runs.flatMap { word($0.0) + word(UInt32(bitPattern: $0.1)) }
        let plain = box("trak", box("mdia", box("minf", box("stbl", []))))
        let video = box("trak", box("mdia", box("minf", box("stbl", box("ctts", table)))))
        return box("moov", box("mvhd", [0, 0, 0, 0]) + plain + video)
    }

    @Test("expands runs, including signed offsets")
    func runs() throws {
        let offsets = try #require(
            CompositionOffsets.find(inMovie: movie([(2, 1024), (1, -512)]), trackNumber: 1, sampleCount: 3)
        )
        #expect(offsets.offsets == [1024, 1024, -512])
        #expect(offsets.decodeShift == 512)
    }

    @Test("a track without the box has no offsets")
    func absent() throws {
        let offsets = try #require(CompositionOffsets.find(inMovie: movie([]), trackNumber: 0, sampleCount: 9))
        #expect(offsets[8] == 0)
    }

    @Test("a table of the wrong length is rejected, and a malformed movie does not trap")
    func broken() {
        #expect(CompositionOffsets.find(inMovie: movie([(2, 0)]), trackNumber: 1, sampleCount: 3) == nil)
        #expect(CompositionOffsets.find(inMovie: movie([(.max, 0)]), trackNumber: 1, sampleCount: 3) == nil)
        let whole = movie([(2, 1024), (1, -512)])
        for length in whole.indices {
            _ = CompositionOffsets.find(inMovie: Array(whole[..<length]), trackNumber: 1, sampleCount: 3)
        }
        var generator = SplitMix(state: 1)
        for _ in 0..<2000 {
            var mutated = whole
            for _ in 0..<4 {
                mutated[Int.random(in: mutated.indices, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            _ = CompositionOffsets.find(inMovie: mutated, trackNumber: 1, sampleCount: 3)
        }
    }
}
