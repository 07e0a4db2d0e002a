// SPDX-License-Identifier: Apache-2.0

import EngineTestKit
import Testing

@testable import Packaging

@Suite("Reading an index of fragments")
struct SegmentIndexTests {
    @Test("an index of fragments ends where its last fragment does")
    func segmentIndex() {
        typealias Bytes = FragmentedMovieBytes
        func index(_ sizes: [UInt32], distance: UInt32 = 0) -> [UInt8] {
            let head = [0, 1, 1000, 0, distance, UInt32(sizes.count)].flatMap { Bytes.word($0) }
            return Bytes.box("sidx", head + sizes.flatMap { Bytes.word($0) + Bytes.word(1) + Bytes.word(0) })
        }
        let box = index([100, 200], distance: 5)
        #expect(SegmentIndex.end(inBox: box, at: 1000) == 1000 + Int64(box.count) + 305)
        #expect(SegmentIndex.end(inBox: index([100, 1 << 31]), at: 0) == nil, "an index of indexes")
        #expect(SegmentIndex.end(inBox: Array(box.dropLast(4)), at: 0) == nil)
        #expect(SegmentIndex.end(inBox: index([]), at: 0) == nil)
    }

    @Test("the fields of version 1 have 64 bits")
    func long() {
        typealias Bytes = FragmentedMovieBytes
        func index(distance: [UInt32]) -> [UInt8] {
            let words: [UInt32] = [1 << 24, 1, 1000, 0, 0] + distance + [2, 100, 1, 0, 200, 1, 0]
            return Bytes.box("sidx", words.flatMap { Bytes.word($0) })
        }
        let box = index(distance: [0, 5])
        #expect(SegmentIndex.end(inBox: box, at: 1000) == 1000 + Int64(box.count) + 305)
        #expect(SegmentIndex.end(inBox: index(distance: [1, 5]), at: 0) == nil, "farther than any file")
    }
}
