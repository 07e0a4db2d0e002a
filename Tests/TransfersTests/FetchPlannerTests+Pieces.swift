// SPDX-License-Identifier: Apache-2.0

import Bindings
import Testing

@testable import Transfers

private let kib: Int64 = 1 << 10
private let mib: Int64 = 1 << 20

extension FetchPlannerTests {
    @Test("A read that arrives in many pieces does not end the read-ahead after it")
    func pieces() {
        var planner = FetchPlanner()
        var fetches: [FetchPlanner.Fetch] = []
        func plan() -> [FetchPlanner.Action] {
            planner.plan(byteCount: 100 * mib, held: RangeSet64(), fetches: fetches, room: 5 - fetches.count)
        }
        planner.readerRead(1, 0..<300 * kib)
        let end = 1100 * kib
        planner.readerWaits(1, for: 300 * kib..<end)
        for _ in 0..<3 {
            for case .start(let range, _) in plan() {
                fetches.append(FetchPlanner.Fetch(id: UInt64(fetches.count), range: range))
            }
        }
        #expect(fetches.contains { $0.range.lowerBound >= end + 256 * kib }, "two requests follow the read")
        for number in 0..<Int64(50) {
            let piece = 300 * kib + number * 1448..<300 * kib + (number + 1) * 1448
            fetches[0].range = piece.upperBound..<fetches[0].range.upperBound
            planner.readerRead(1, piece)
            #expect(plan() == [])
            planner.readerWaits(1, for: piece.upperBound..<end)
            #expect(plan() == [])
        }
        // A read elsewhere is followed by its own read-ahead.
        planner.readerRead(1, 50 * mib..<50 * mib + 300 * kib)
        fetches = []
        #expect(plan().first == .start(50 * mib + 256 * kib..<50 * mib + 556 * kib, isUrgent: false))
    }
}
