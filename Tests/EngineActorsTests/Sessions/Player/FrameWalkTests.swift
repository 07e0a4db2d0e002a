// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Sessions

@Suite("A step by frames")
struct FrameWalkTests {
    private let walk = FrameWalk([0.0, 0.04, 0.08, 0.2, 0.24].map { MediaTime.seconds($0) }, isStart: false)

    @Test(
        "counts from the frame that is shown, whatever the frames' durations",
        arguments: [
            (0.0, 1, FrameWalk.Target.found(.seconds(0.04))), (0.05, 1, .found(.seconds(0.08))),
            (0.1, 1, .found(.seconds(0.2))), (0.1, -1, .found(.seconds(0.04))), (0.2, -1, .found(.seconds(0.08))),
            (0.24, 1, .after), (0.0, -1, .before), (0.08, -2, .found(.seconds(0))), (0.0, 4, .found(.seconds(0.24))),
            // A position that a renderer has rounded down still counts as being at the frame.
            (0.0399995, 1, .found(.seconds(0.08))), (0.0399995, -1, .found(.seconds(0))),
        ]
    )
    func steps(place: Double, frames: Int, target: FrameWalk.Target) {
        #expect(walk.target(of: frames, from: .seconds(place)) == target)
    }

    @Test("continues in the previous and in the next segment")
    func joined() {
        var walk = walk
        walk.prepend([.seconds(-0.08), .seconds(-0.04)], isStart: false)
        walk.append([.seconds(0.28)])
        #expect(walk.target(of: -1, from: .zero) == .found(.seconds(-0.04)))
        #expect(walk.target(of: 1, from: .seconds(0.25)) == .found(.seconds(0.28)))
        #expect(FrameWalk([.seconds(1), .seconds(2)], isStart: true).target(of: 1, from: .zero) == .found(.seconds(2)))
        #expect(
            FrameWalk([.seconds(1), .seconds(2)], isStart: false).target(of: 1, from: .zero) == .found(.seconds(1))
        )
        #expect(FrameWalk([], isStart: true).target(of: 1, from: .zero) == .after)
    }
}
