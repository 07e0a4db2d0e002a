// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Sessions

@Suite("The target of a seek", .timeLimit(.minutes(10)))
struct SeekTargetTests {
    /// A source whose window begins at `start` and ends at 60 s, with a keyframe every ten seconds.
    private func seek(_ command: SeekCommand, start: Double = 0, live: Double? = nil) -> Double {
        let target = SeekTarget(
            start: .seconds(start),
            end: .seconds(60),
            live: live.map { .seconds($0) },
            keyframe: { position in .seconds((position.seconds / 10).rounded(.down) * 10) }
        )
        return target.position(of: command, from: .seconds(25)).seconds
    }

    @Test(
        "an exact seek goes where the command says, even outside the timeline",
        arguments: [
            (.position(.seconds(12)), 12), (.position(.seconds(-5)), -5), (.position(.seconds(90)), 90),
            (.relative(.seconds(-30)), -5), (.begin, 0), (.end, 60),
        ] as [(SeekCommand.Target, Double)]
    )
    func exact(target: SeekCommand.Target, position: Double) {
        #expect(seek(SeekCommand(target)) == position)
    }

    @Test(
        "a keyframe seek goes to the keyframe at or before the position, within the timeline",
        arguments: [
            (.position(.seconds(12)), 10), (.position(.seconds(20)), 20), (.position(.seconds(-5)), 0),
            (.position(.seconds(90)), 60), (.relative(.seconds(4)), 20),
        ] as [(SeekCommand.Target, Double)]
    )
    func keyframe(target: SeekCommand.Target, position: Double) {
        #expect(seek(SeekCommand(target, mode: .keyframe)) == position)
    }

    @Test("the live position is behind the edge of a live source, and the end of any other")
    func live() {
        #expect(seek(SeekCommand(.live), live: 48) == 48)
        #expect(seek(SeekCommand(.live)) == 60)
        #expect(seek(SeekCommand(.end), live: 48) == 60)
    }

    @Test("no seek goes before the window of a source")
    func window() {
        #expect(seek(SeekCommand(.begin), start: 30) == 30)
        #expect(seek(SeekCommand(.relative(.seconds(1))), start: 30) == 30)
        #expect(seek(SeekCommand(.position(.seconds(31))), start: 30) == 31)
    }
}
