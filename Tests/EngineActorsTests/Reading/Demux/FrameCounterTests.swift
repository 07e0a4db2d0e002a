// SPDX-License-Identifier: Apache-2.0

import Packaging
import Testing

@testable import Reading

@Suite("Counting the frames of an elementary stream")
struct FrameCounterTests {
    private func boundary(_ time: Int64, _ position: Int64) -> Keyframe {
        Keyframe(time: time, seekTimestamp: time, position: position)
    }

    @Test("counting starts at the first boundary, and starts again at each later one")
    func counted() {
        var counter = FrameCounter(
            from: boundary(1000, 50),
            boundaries: [boundary(1100, 80), boundary(1150, 100)],
            duration: 20
        )
        let found = [30, 40, 50, 60, 70, 80, 90, 100, 110].map { counter.note($0) }
        #expect(
            found == [
                .early, .early, .at(1000), .at(1020), .at(1040), .at(1100), .at(1120), .at(1150), .at(1170),
            ]
        )
    }

    @Test("reading began too late if the frame at the first boundary was not seen")
    func late() {
        var counter = FrameCounter(from: boundary(1000, 50), duration: 20)
        let found = [40, 60, 70].map { counter.note($0) }
        #expect(found == [.early, .late, .late])
    }
}
