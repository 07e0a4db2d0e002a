// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineTestKit
import Testing

@testable import Sessions

@Suite("A renderer as the playhead's master")
struct RendererTests {
    private let second: Int64 = 1_000_000_000

    private func attached(duration: Double = 60) -> PlayerStateMachine {
        var machine = PlayerStateMachine(position: .zero)
        machine.opened(at: 0)
        machine.setDuration(.seconds(duration))
        machine.rendererAttached(at: 0)
        return machine
    }

    private func report(_ seconds: Double, rate: Double = 1, seek: UInt64 = 0) -> RendererReport {
        var report = RendererReport(position: .seconds(seconds), rate: rate)
        report.seekID = seek
        return report
    }

    @Test("play and pause are only requested until the renderer reports that they happened")
    func wishes() {
        var machine = attached()
        machine.play(at: 0)
        #expect(machine.phase == .play)
        machine.rendererReported(report(0.1), at: second)
        #expect(machine.phase == .playing)
        #expect(machine.playhead(at: 2 * second) == .seconds(1.1))
        machine.pause(at: 2 * second)
        #expect(machine.phase == .pausing)
        machine.rendererReported(report(1.2, rate: 0), at: 3 * second)
        #expect(machine.phase == .paused)
        #expect(machine.playhead(at: 9 * second) == .seconds(1.2))
    }

    @Test("the session follows what the renderer does on its own")
    func byItself() {
        var machine = attached()
        machine.rendererReported(report(0, rate: 0), at: 0)
        #expect(machine.phase == .ready)
        machine.rendererReported(report(3), at: second)
        #expect(machine.phase == .playing)
        var waiting = report(4, rate: 0)
        waiting.isBuffering = true
        machine.rendererReported(waiting, at: 2 * second)
        #expect(machine.phase == .buffering)
        machine.rendererReported(report(4, rate: 0), at: 3 * second)
        #expect(machine.phase == .paused)
        var ended = report(60, rate: 0)
        ended.hasEnded = true
        machine.rendererReported(ended, at: 4 * second)
        #expect(machine.phase == .ended)
        for moment in [59.9, 59.5] { machine.rendererReported(report(moment, rate: 0), at: 5 * second) }
        #expect(machine.phase == .ended)
        machine.rendererReported(report(20), at: 6 * second)
        #expect(machine.phase == .playing)
    }

    @Test("a renderer that goes back leaves the end, whether it plays or not")
    func leavesTheEnd() {
        var machine = attached()
        machine.play(at: 0)
        var ended = report(60, rate: 0)
        ended.hasEnded = true
        machine.rendererReported(ended, at: second)
        machine.rendererReported(report(20, rate: 0), at: 2 * second)
        #expect(machine.phase == .paused)
        machine.play(at: 3 * second)
        #expect(machine.phase == .play)
        #expect(machine.playhead(at: 3 * second) == .seconds(20))
    }

    @Test("a seek away from the end pauses the renderer, unless playback should continue", arguments: [false, true])
    func seekFromTheEnd(thenPlay: Bool) {
        var machine = attached()
        machine.play(at: 0)
        var ended = report(60, rate: 0)
        ended.hasEnded = true
        machine.rendererReported(ended, at: second)
        _ = machine.takeEffects()
        let id = machine.seek(to: .seconds(20), thenPlay: thenPlay, at: second).id
        let began = PlayerStateMachine.Effect.seek(SeekEvent(id: id, stage: .began, target: .seconds(20)))
        #expect(machine.takeEffects() == (thenPlay ? [began] : [began, .leftEnd]))
        _ = machine.seek(to: .seconds(30), at: second)
        #expect(!machine.takeEffects().contains(.leftEnd))
    }

    @Test("at rate 0 the playhead stands still but the session plays, so that a pause is a change")
    func rateZero() {
        var machine = attached()
        machine.play(at: 0)
        machine.rendererReported(report(1), at: second)
        _ = machine.setRate(0, at: second)
        machine.rendererReported(report(2, rate: 0), at: 2 * second)
        #expect(machine.phase == .playing)
        #expect(machine.wantsToPlay)
        #expect(machine.playhead(at: 5 * second) == .seconds(2))
        machine.pause(at: 5 * second)
        #expect(machine.phase == .pausing)
        machine.rendererReported(report(2, rate: 0), at: 6 * second)
        #expect(machine.phase == .paused)
    }

    @Test("a seek lands when a report names it, not when an older report arrives")
    func seek() {
        var machine = attached()
        machine.play(at: 0)
        machine.rendererReported(report(1), at: second)
        let id = machine.seek(to: .seconds(30), at: second).id
        machine.rendererReported(report(1.1), at: second + 1)
        #expect(machine.phase == .seeking)
        #expect(machine.playhead(at: 2 * second) == .seconds(30))
        machine.rendererReported(report(30, seek: id), at: 2 * second)
        #expect(machine.phase == .playing)
        #expect(machine.takeEffects().last == .seek(SeekEvent(id: id, stage: .landed, target: .seconds(30))))
    }

    @Test("when the renderer detaches, the virtual clock takes over at the playhead")
    func detach() {
        var machine = attached()
        machine.play(at: 0)
        machine.rendererReported(report(10), at: second)
        machine.rendererDetached(at: 3 * second)
        #expect(machine.phase == .buffering)
        #expect(machine.playhead(at: 3 * second) == .seconds(12))
        machine.mediaAvailable(to: .seconds(20), at: 4 * second)
        #expect(machine.phase == .playing)
        #expect(machine.playhead(at: 5 * second) == .seconds(13))
    }

    @Test("media that was available before a renderer attached does not count as available after it detaches")
    func nothingLeft() {
        var machine = attached()
        machine.rendererDetached(at: 0)
        machine.play(at: 0)
        machine.mediaAvailable(to: .seconds(60), at: 0)
        machine.rendererAttached(at: second)
        machine.rendererReported(report(10), at: second)
        machine.rendererDetached(at: second)
        machine.pause(at: second)
        machine.play(at: second)
        #expect(machine.phase == .buffering)
    }

    @Test("a renderer that attaches during playback has to play first; one that detaches instead of pausing has paused")
    func changesDuringPlayback() {
        var machine = attached()
        machine.rendererDetached(at: 0)
        machine.play(at: 0)
        machine.mediaAvailable(to: .seconds(60), at: 0)
        #expect(machine.phase == .playing)
        machine.rendererAttached(at: second)
        #expect(machine.phase == .play)
        #expect(machine.playhead(at: 9 * second) == .seconds(1))
        machine.rendererReported(report(1), at: 9 * second)
        machine.pause(at: 10 * second)
        #expect(machine.phase == .pausing)
        machine.rendererDetached(at: 11 * second)
        #expect(machine.phase == .paused)
    }

    @Test("playback has ended if the renderer must have reached the end when it detaches")
    func detachAtTheEnd() {
        var machine = attached()
        machine.play(at: 0)
        machine.rendererReported(report(59), at: 0)
        machine.rendererDetached(at: 9 * second)
        #expect(machine.phase == .ended)
        #expect(machine.playhead(at: 9 * second) == .seconds(60))
    }

    @Test("a new rate applies when the renderer reports it")
    func rate() {
        var machine = attached()
        machine.play(at: 0)
        machine.rendererReported(report(1), at: 0)
        _ = machine.setRate(2, at: 0)
        #expect(machine.playhead(at: second) == .seconds(2))
        machine.rendererReported(report(2, rate: 2), at: second)
        #expect(machine.playhead(at: 2 * second) == .seconds(4))
    }

    @Test("a part that ends with the source is repeated when the renderer has ended, not when it is paused there")
    func repeatedPart() {
        var machine = attached()
        machine.play(at: 0)
        machine.setLoopPoints(LoopPoints(start: .seconds(2), end: .seconds(90)), at: 0)
        machine.rendererReported(report(59.5), at: 0)
        var paused = machine
        var ended = report(59.98, rate: 0)
        ended.hasEnded = true
        machine.rendererReported(ended, at: second / 2)
        #expect(machine.takeEffects() == [.seek(SeekEvent(id: 1, stage: .began, target: .seconds(2)))])
        #expect(machine.wantsToPlay)
        paused.rendererReported(report(60, rate: 0), at: second / 2)
        #expect(paused.takeEffects().isEmpty)
        #expect(paused.phase == .paused)
    }

    @Test("new media does not start a session that waits for the renderer")
    func media() {
        var machine = attached()
        let id = machine.seek(to: .seconds(30), thenPlay: true, at: 0).id
        machine.mediaAvailable(to: .seconds(60), at: 0)
        #expect(machine.phase == .seeking)
        machine.rendererReported(report(30, seek: id), at: 0)
        #expect(machine.phase == .playing)
    }

    @Test("a reported position is clamped to the timeline", arguments: [(-5.0, 0.0), (99, 60)])
    func range(reported: Double, expected: Double) {
        var machine = attached()
        machine.rendererReported(report(reported), at: 0)
        #expect(machine.playhead(at: 0) == .seconds(expected))
    }

    @Test("whatever happens, only allowed transitions are made", arguments: 0..<60)
    func random(seed: Int) {
        var generator = SplitMix(state: UInt64(seed))
        var machine = attached(duration: 30)
        var now: Int64 = 0
        for _ in 0..<400 {
            now += Int64.random(in: 0...(2 * second), using: &generator)
            let before = machine.phase.name
            switch Int.random(in: 0..<12, using: &generator) {
            case 0: machine.play(at: now)
            case 1: machine.pause(at: now)
            case 2: _ = machine.seek(to: .seconds(.random(in: -10...40, using: &generator)), at: now)
            case 3: machine.rendererAttached(at: now)
            case 4: machine.rendererDetached(at: now)
            case 5: machine.failed(EngineError(.internal, "x"), at: now)
            case 6: machine.reopened(at: .zero, settings: PlayerSettings(), at: now)
            case 7: machine.opened(at: now)
            case 8: machine.mediaAvailable(to: .seconds(.random(in: 0...30, using: &generator)), at: now)
            case 9: machine.tick(at: now)
            case 10: machine.setDuration(.seconds(30))
            default:
                var random = report(
                    .random(in: -5...40, using: &generator),
                    rate: Bool.random(using: &generator) ? 1 : 0,
                    seek: .random(in: 0...20, using: &generator)
                )
                random.isBuffering = .random(using: &generator)
                random.hasEnded = Int.random(in: 0..<8, using: &generator) == 0
                machine.rendererReported(random, at: now)
            }
            let after = machine.phase.name
            #expect(before == after || before.successors.contains(after))
            #expect(machine.playhead(at: now) >= .zero)
            _ = machine.takeEffects()
        }
    }
}
