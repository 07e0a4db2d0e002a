// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Reading

@Suite("Clocks that restart without a discontinuity, and wrong durations")
struct ClockRestartsTests {
    /// Segments of 4 s each, and what is wrong with them.
    private struct Segments {
        var count = 64
        /// By segment: the duration that the playlist states.
        var stated: [Int: Double] = [:]
        /// By segment: the time at which its clock begins again.
        var restarts: [Int: Double] = [:]
        var lost: Set<Int> = []

        private func planned(_ segment: Int) -> MediaTime {
            .seconds((0..<segment).reduce(10) { $0 + (stated[$1] ?? 4) })
        }

        private func extent(_ segment: Int) -> ClockRestarts.Extent? {
            guard !lost.contains(segment) else { return nil }
            let first = restarts.keys.filter { $0 <= segment }.max() ?? 0
            let start = (restarts[first] ?? 10) + Double(segment - first) * 4
            return ClockRestarts.Extent(start: .seconds(start), end: .seconds(start + 4))
        }

        /// How far each segment is moved, in seconds, and the largest number of segments that one answer took.
        func distances() throws -> (moves: [Double], reads: Int) {
            var (moves, most) = ([0.0], 0)
            for segment in 1..<count {
                var reads = 0
                var finder = ClockRestarts(planned: planned, isExact: true) { (index) throws(EngineError) in
                    reads += 1
                    return extent(index)
                }
                moves.append(try finder.distance(from: 0, to: segment)?.seconds ?? .nan)
                most = max(most, reads)
            }
            return (moves, most)
        }
    }

    @Test(
        "wrong durations move nothing",
        arguments: [[3: 40], [3: 0.5, 40: 90], [5: 0], [1: 30, 2: 0, 60: 8]] as [[Int: Double]]
    )
    func durations(_ stated: [Int: Double]) throws {
        let found = try Segments(stated: stated).distances()
        #expect(found.moves.allSatisfy { $0 == 0 } && found.reads <= 34)
    }

    @Test("if all durations are wrong, a limited number of segments is read, and the media's times count")
    func allDurations() throws {
        let stated = Dictionary(uniqueKeysWithValues: (0..<400).map { ($0, 8.0) })
        let found = try Segments(count: 400, stated: stated).distances()
        #expect(found.moves.allSatisfy { $0 == 0 } && found.reads <= 34)
    }

    @Test("segments after a restart follow those before it, up to the end")
    func restart() throws {
        let found = try Segments(restarts: [5: 10, 40: 3]).distances()
        let first = Double(5 * 4), second = Double(40 * 4 + 7)
        #expect(Array(found.moves[..<5]).allSatisfy { $0 == 0 })
        #expect(found.moves[5..<40].allSatisfy { $0 == first } && found.moves[40...].allSatisfy { $0 == second })
    }

    @Test("a wrong duration before a restart does not count as one")
    func both() throws {
        let found = try Segments(stated: [2: 24], restarts: [9: 0]).distances()
        #expect(found.moves[..<9].allSatisfy { $0 == 0 } && found.moves[9...].allSatisfy { $0 == 46 })
    }

    @Test("where segments in between are lost, only a clock that went back has restarted")
    func lost() throws {
        let back = try Segments(count: 12, restarts: [10: 0], lost: Set(1..<11)).distances()
        #expect(back.moves[11] == 50)
        let forward = try Segments(count: 21, stated: [10: 90], lost: Set(1..<20)).distances()
        #expect(forward.moves[20] == 0 && forward.moves[10].isNaN)
    }
}
