// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Transfers

private let mib: Int64 = 1 << 20

@Suite("Forward window")
struct ForwardWindowTests {
    private func window(newest: Int64 = 0) -> ForwardWindow {
        var window = ForwardWindow(ForwardWindow.Limits(byteCount: 64 << 20))
        window.received(0..<newest)
        return window
    }

    @Test(
        "The memory is divided between the head, the bytes ahead, and the bytes that were read",
        arguments: [16, 64, 256, 4096]
    )
    func limits(mebibytes: Int) {
        let limits = ForwardWindow.Limits(byteCount: mebibytes << 20)
        let behind = limits.byteCount - limits.head - limits.ahead
        #expect(limits.head > 0 && behind >= limits.byteCount / 8)
        #expect(limits.ahead >= limits.byteCount / 2)
    }

    @Test("A transfer pauses far enough ahead of the farthest reader, and is resumed once when that reader moves")
    func pauses() {
        var window = window()
        let ahead = window.limits.ahead
        /// Whether the transfer takes more, and two checks for a resumption.
        func turn() -> [Bool] { [window.takesMore(), window.takeResumption(), window.takeResumption()] }
        #expect(turn() == [true, false, false])
        window.received(0..<ahead - 1)
        #expect(turn() == [true, false, false])
        window.received(ahead - 1..<ahead)
        #expect(turn() == [false, false, false])
        window.reached(mib)
        let resumed = [window.takeResumption(), window.takeResumption()]
        #expect(resumed == [true, false])
        window.received(ahead..<ahead + mib)
        #expect(turn() == [false, false, false])
        // A reader that is farther back does not matter.
        window.reached(4096)
        #expect(turn() == [false, false, false])
        window.began()
        window.reached(2 * mib)
        let again = window.takeResumption()
        #expect(!again)
    }

    @Test(
        "A live stream is fetched ahead of its farthest reader, even a follower; a recording, only of playing readers"
    )
    func slides() {
        var window = window()
        let ahead = window.limits.ahead
        window.becomeLive()
        window.received(0..<ahead - 1)
        window.reached(ahead - mib, isFollower: true)
        window.received(ahead..<2 * ahead - mib - 1)
        let first = window.takesMore()
        #expect(first && window.slides && window.start == 0)
        window.slide(to: 3 * mib)
        window.slide(to: 2 * mib)
        #expect(window.start == 3 * mib)
        window.received(0..<2 * ahead)
        let second = window.takesMore()
        #expect(!second)
        window.reached(2 * ahead, isFollower: true)
        let third = (window.takeResumption(), window.takesMore())
        #expect(third == (true, true))
        window.holdBack()
        window.becomeLive()
        let last = window.takesMore()
        #expect(!last && !window.slides, "nobody plays it")
        window.reached(2 * ahead)
        let resumed = window.takeResumption()
        #expect(resumed)
    }

    @Test("Bytes that are received again are not new")
    func new() {
        let window = window(newest: 1000)
        #expect(window.new(of: 0..<600).isEmpty)
        #expect(window.new(of: 600..<1400) == 1000..<1400)
        #expect(window.new(of: 1000..<1400) == 1000..<1400)
    }

    @Test("Transfers of a live stream always follow each other")
    func live() {
        var window = window(newest: 100 * mib)
        #expect(!window.canBeginAgain(ResourceState()))
        window.becomeLive()
        window.began()
        #expect(window.canBeginAgain(ResourceState()) && !window.hasProgressed)
        window.received(100 * mib..<100 * mib + 1)
        #expect(window.hasProgressed)
        window.began()
        #expect(!window.hasProgressed)
    }

    @Test("A transfer starts over if the resource is identifiable and few bytes have to be received again")
    func again() {
        let known = ResourceState(byteCount: 100 * mib)
        #expect(window().canBeginAgain(ResourceState()))
        #expect(!window(newest: 1).canBeginAgain(ResourceState()))
        #expect(window(newest: mib).canBeginAgain(known))
        #expect(window(newest: mib).canBeginAgain(ResourceState(tag: "\"a\"")))
        #expect(window(newest: 64 * mib).canBeginAgain(known))
        #expect(!window(newest: 64 * mib + 1).canBeginAgain(known))
    }
}
