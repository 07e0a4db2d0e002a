// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Sessions

@Suite("A player whose source is being opened", .timeLimit(.minutes(10)))
struct PlayerOpeningTests {
    /// Opens the source that `machine` waits for, as a session does.
    private func open(_ machine: inout PlayerStateMachine, at now: Int64 = 9) {
        machine.setDuration(.seconds(60))
        let asked = machine.opened(at: now)
        if let seek = asked.seek {
            let place: MediaTime = if case .position(let place) = seek.command.target { place } else { .seconds(60) }
            _ = machine.seek(to: place, thenPlay: asked.thenPlay, as: seek.id, at: now)
        }
        if asked.thenPlay { machine.play(startingOver: false, at: now) }
    }

    @Test(
        "plays once it is open if autoplay or a command asked for it; the last command wins",
        arguments: [false, true]
    )
    func play(isAutoplay: Bool) {
        var machine = PlayerStateMachine(position: .zero, opening: .init(thenPlay: isAutoplay))
        #expect(machine.wantsToPlay == isAutoplay)
        machine.play(at: 0)
        #expect(machine.phase == .opening && machine.wantsToPlay && !machine.needsMedia)
        open(&machine)
        #expect(machine.phase == .buffering)

        machine = PlayerStateMachine(position: .zero, opening: .init(thenPlay: isAutoplay))
        machine.pause(at: 0)
        open(&machine)
        #expect(machine.phase == .ready)
    }

    @Test("a seek replaces the start position at once, begins when the source is open, and lands")
    func seek() {
        var machine = PlayerStateMachine(position: .seconds(3))
        #expect(machine.keep(SeekCommand(.position(.seconds(-4)))) == .init(id: 1, isClamped: true, isRejected: false))
        #expect(machine.playhead(at: 0) == .zero)
        #expect(machine.keep(SeekCommand(.position(.seconds(20))))?.id == 2)
        #expect(machine.keep(SeekCommand(.relative(.seconds(2)), thenPlay: true))?.id == 3)
        #expect(machine.playhead(at: 0) == .seconds(22))
        open(&machine)
        machine.mediaAvailable(to: .seconds(30), at: 10)
        #expect(machine.phase == .playing)
        #expect(
            machine.takeEffects() == [
                .seek(SeekEvent(id: 1, stage: .superseded, target: .zero)),
                .seek(SeekEvent(id: 2, stage: .superseded, target: .seconds(20))),
                .seek(SeekEvent(id: 3, stage: .began, target: .seconds(22))),
                .seek(SeekEvent(id: 3, stage: .landed, target: .seconds(22))),
            ]
        )
    }

    @Test("begins where its source begins, unless a seek was kept")
    func entrance() {
        var machine = PlayerStateMachine(position: .zero)
        machine.opened(startingAt: .seconds(5), at: 0)
        #expect(machine.playhead(at: 0) == .seconds(5))
        machine = PlayerStateMachine(position: .zero)
        _ = machine.keep(SeekCommand(.position(.seconds(20))))
        machine.opened(startingAt: .seconds(5), at: 0)
        #expect(machine.playhead(at: 0) == .seconds(20))
    }

    @Test("a seek to the end goes there once the end is known", arguments: [false, true])
    func end(thenPlay: Bool) {
        var machine = PlayerStateMachine(position: .seconds(3))
        _ = machine.keep(SeekCommand(.end, thenPlay: thenPlay))
        #expect(machine.playhead(at: 0) == .seconds(3))
        open(&machine)
        machine.mediaAvailable(to: .seconds(60), at: 10)
        #expect(machine.phase == (thenPlay ? .ended : .paused))
        #expect(machine.playhead(at: 11) == .seconds(60))
    }

    @Test("relative seeks never add up to a position that a timeline cannot have")
    func farAway() {
        var machine = PlayerStateMachine(position: .zero)
        for _ in 0..<3000 { _ = machine.keep(SeekCommand(.relative(MediaTime(microseconds: 1 << 53)))) }
        #expect(machine.playhead(at: 0) == MediaTime(microseconds: 1 << 53))
        open(&machine)
        #expect(machine.playhead(at: 10) == .seconds(60))
    }

    @Test("is ready for a pending seek once opened, however it rested", arguments: SessionRecord.RestingPhase.allCases)
    func ready(rest: SessionRecord.RestingPhase) {
        var machine = PlayerStateMachine(position: .seconds(60), opening: .init(rest: rest))
        _ = machine.keep(SeekCommand(.end))
        machine.setDuration(.seconds(60))
        machine.opened(at: 0)
        #expect(machine.phase == .ready)
    }

    @Test("a failure, another load or a stop ends a seek that was kept", arguments: 0..<3)
    func ends(end: Int) {
        var machine = PlayerStateMachine(position: .zero)
        _ = machine.keep(SeekCommand(.position(.seconds(5))))
        switch end {
        case 0: machine.failed(EngineError(.internal, "x"), at: 1)
        case 1: machine.reopened(at: .seconds(1), settings: PlayerSettings(), at: 1)
        default: machine.stopping(at: 1)
        }
        #expect(machine.takeEffects() == [.seek(SeekEvent(id: 1, stage: .superseded, target: .seconds(5)))])
        #expect(machine.opened(at: 2).seek == nil)
    }

    @Test(
        "rests as it did in an earlier process, unless a command has arrived since",
        arguments: [
            (SessionRecord.RestingPhase.ready, 7.0, Phase.ready), (.paused, 7, .paused), (.ended, 60, .ended),
            (.ended, 7, .paused),
        ]
    )
    func rest(rest: SessionRecord.RestingPhase, position: Double, phase: Phase) {
        var machine = PlayerStateMachine(position: .seconds(position), opening: .init(rest: rest))
        #expect(machine.rest == rest)
        open(&machine)
        #expect(machine.phase == phase)
        machine = PlayerStateMachine(position: .seconds(position), opening: .init(rest: rest))
        _ = machine.keep(SeekCommand(.begin))
        #expect(machine.rest == .paused, "the pending seek overrides how it rested")
        open(&machine)
        #expect(machine.phase == .seeking)
    }
}
