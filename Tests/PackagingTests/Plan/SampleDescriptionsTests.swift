// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineTestKit
import Testing

@testable import Packaging

@Suite("Sample entries of a track")
struct SampleDescriptionsTests {
    private func word(_ value: UInt32) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }
    private func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
        word(UInt32(content.count + 8)) + Array(type.utf8) + content
    }

    /// A movie with one track that has entries with these records, and runs of (first chunk, samples per chunk, entry).
    private func movie(_ records: [[UInt8]], _ runs: [(UInt32, UInt32, UInt32)]) -> [UInt8] {
        let entries = records.map { box("avc1", [UInt8](repeating: 0, count: 78) + box("avcC", $0)) }
        let list = box("stsd", word(0) + word(UInt32(records.count)) + entries.flatMap { $0 })
        let chunks = box(
            "stsc",
            word(0) + word(UInt32(runs.count)) + runs.flatMap { word($0.0) + word($0.1) + word($0.2) }
        )
        return box("moov", box("trak", box("mdia", box("minf", box("stbl", list + chunks)))))
    }

    private func find(_ movie: [UInt8]) -> SampleDescriptions? {
        SampleDescriptions.find(inMovie: movie, trackNumber: 0, codec: .h264)
    }

    @Test("each sample has the record of its chunk's entry")
    func runs() {
        let found = find(movie([[1], [2]], [(1, 3, 1), (3, 2, 1), (4, 5, 2), (9, 1, 1)]))
        #expect(
            found?.runs == [
                .init(firstSample: 0, record: [1]), .init(firstSample: 8, record: [2]),
                .init(firstSample: 33, record: [1]),
            ]
        )
        #expect(found?.record(of: 7) == [1] && found?.record(of: 8) == [2] && found?.record(of: 32) == [2])
    }

    @Test("a single entry, a malformed table, and a track that does not exist are left to the demuxer")
    func none() {
        #expect(find(movie([[1]], [(1, 1, 1)])) == nil)
        #expect(find(movie([[1], [2]], [(1, 1, 1), (2, 1, 3)])) == nil)
        #expect(find(movie([[1], [2]], [(2, 1, 1), (1, 1, 2)])) == nil)
        #expect(find(movie([[1], [2]], [(1, .max, 1), (.max, 1, 2)])) == nil)
        #expect(SampleDescriptions.find(inMovie: movie([[1], [2]], [(1, 1, 1)]), trackNumber: 1, codec: .h264) == nil)
        #expect(find([]) == nil)
    }

    @Test("arbitrary bytes do not trap", arguments: 0..<80)
    func garbage(seed: Int) {
        var generator = SplitMix(state: UInt64(seed))
        var bytes = movie([[1], [2]], [(1, 3, 1), (4, 5, 2)])
        for _ in 0..<6 {
            bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
        }
        if let found = find(bytes) { #expect(found.runs.map(\.firstSample) == found.runs.map(\.firstSample).sorted()) }
    }
}
