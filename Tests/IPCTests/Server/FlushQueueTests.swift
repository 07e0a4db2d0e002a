// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Server

@Suite("The queue of connections to flush")
struct FlushQueueTests {
    @Test("the first connection requests a visit of the event loop, which flushes it and those that follow, in order")
    func oneVisit() {
        var queue = FlushQueue<Int>()
        let steps = (1...40).map { queue.add($0) }
        #expect(steps == [.visit] + Array(repeating: .wait, count: 39))
        let (taken, rest) = (queue.take(), queue.take())
        #expect(taken == Array(1...40) && rest.isEmpty)
        let next = queue.add(1)
        #expect(next == .visit)
    }

    @Test("in batches, a full batch is flushed at once")
    func batches() {
        var queue = FlushQueue<Int>()
        queue.beginBatches()
        for batch in 0..<2 {
            let steps = (0..<FlushQueue<Int>.batch).map { queue.add($0) }
            #expect(steps.dropLast().allSatisfy { $0 == .wait }, "batch \(batch)")
            #expect(steps.last == .flush, "batch \(batch)")
            let taken = queue.take()
            #expect(taken.count == FlushQueue<Int>.batch, "batch \(batch)")
        }
        let last = queue.add(1)
        queue.endBatches()
        let rest = queue.take()
        #expect(last == .wait && rest == [1])
        let next = queue.add(2)
        #expect(next == .visit)
    }
}
