// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Bindings

@Suite("The queue of an ALSA device", .timeLimit(.minutes(10)))
struct AlsaQueueTests {
    private static func block(_ count: Int) -> SampleBlock {
        SampleBlock(planes: [[UInt8](repeating: 0, count: count)], count: count)
    }

    @Test("Samples are written once, in order, across blocks")
    func order() {
        var queue = AlsaQueue()
        for count in [10, 0, 5] { queue.append(Self.block(count)) }
        #expect(queue.given == 15 && queue.hasMore)
        queue.take(7)
        #expect(queue.next?.place == 0 && queue.next?.first == 7)
        queue.take(3)
        #expect(queue.next?.place == 10 && queue.next?.first == 0 && queue.next?.block.count == 5)
        queue.take(5)
        #expect(queue.next == nil && !queue.hasMore && queue.taken == 15)
    }

    @Test("Samples that the device loses are written again, from the heard position on")
    func takenBack() {
        var queue = AlsaQueue()
        for _ in 0..<3 { queue.append(Self.block(10)) }
        queue.take(25)
        queue.forget(before: 12)
        queue.takeBack(from: 12)
        #expect(queue.next?.place == 10 && queue.next?.first == 2)
        queue.take(18)
        #expect(!queue.hasMore)
    }

    @Test("Samples can be taken back only while they are kept, and unheard samples are kept")
    func bounds() {
        var queue = AlsaQueue()
        for _ in 0..<3 { queue.append(Self.block(10)) }
        queue.take(15)
        // The device cannot have played more samples than were written to it.
        queue.forget(before: 30)
        #expect(queue.next?.place == 10 && queue.next?.first == 5)
        queue.takeBack(from: 0)
        #expect(queue.taken == 10)
        queue.takeBack(from: 20)
        #expect(queue.taken == 10)
    }
}
