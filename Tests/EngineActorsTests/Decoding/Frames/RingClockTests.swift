// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Decoding

@Suite("The playhead of a ring")
struct RingClockTests {
    private func anchor(_ rate: Double) -> PositionAnchor {
        PositionAnchor(position: .zero, rate: rate, monotonicNanoseconds: 0, requestedRate: 1)
    }

    @Test("anchors and ends of other generations have no effect")
    func generations() {
        var clock = RingClock()
        let early = clock.follow(anchor(1), 7)
        #expect(!early && !clock.isCurrent(7))
        clock.flush(to: 7)
        let (isFollowed, isOtherFollowed) = (clock.follow(anchor(0), 7), clock.follow(anchor(1), 8))
        #expect(isFollowed && !isOtherFollowed && clock.isStill)
        let isOtherFinished = clock.finish(8)
        #expect(!isOtherFinished && !clock.hasEnded)
        let isFinished = clock.finish(7)
        #expect(isFinished && clock.hasEnded)
    }

    @Test("a flush begins an epoch without a playhead, whatever the renderer's generation is")
    func flush() {
        var clock = RingClock()
        clock.flush(to: 7)
        _ = clock.follow(anchor(1), 7)
        _ = clock.finish(7)
        #expect(clock.moment(of: .seconds(2)) == 2_000_000_000)
        clock.flush(to: 3)
        #expect(clock.epoch == 2 && !clock.hasEnded && clock.moment(of: .seconds(2)) == nil)
        #expect(clock.isCurrent(3) && !clock.isCurrent(7))
    }

    @Test("a lap adds a generation without an epoch, and the playhead is that of the last generation")
    func laps() {
        var clock = RingClock()
        clock.beginLap(7)
        clock.beginLap(8)
        clock.beginLap(9)
        #expect(clock.epoch == 1 && [7, 8, 9].allSatisfy { clock.isCurrent($0) } && !clock.isCurrent(6))
        let (isEarlierFollowed, isFollowed) = (clock.follow(anchor(1), 8), clock.follow(anchor(0), 9))
        #expect(!isEarlierFollowed && isFollowed && clock.isStill)
        let (isEarlierFinished, isFinished) = (clock.finish(8), clock.finish(9))
        #expect(!isEarlierFinished && isFinished)
        clock.beginLap(10)
        #expect(!clock.hasEnded && clock.epoch == 1)
        clock.flush(to: 11)
        #expect(clock.epoch == 2 && !clock.isCurrent(10))
        clock.beginLap(2)
        #expect(clock.epoch == 3 && clock.isCurrent(2) && !clock.isCurrent(11))
    }
}
