// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineTestKit
import Testing

@testable import Sessions

@Suite("The virtual clock")
struct PlayerStateMachineTests {
    private let second: Int64 = 1_000_000_000

    private func loaded(duration: Double = 60) -> PlayerStateMachine {
        var machine = PlayerStateMachine(position: .zero)
        machine.opened(at: 0)
        machine.setDuration(.seconds(duration))
        return machine
    }

    @Test("plays available media in real time, and buffers where it ends")
    func buffering() {
        var machine = loaded()
        machine.play(at: 0)
        #expect(machine.phase == .buffering)
        machine.mediaAvailable(to: .seconds(4), at: second)
        #expect(machine.phase == .playing)
        #expect(machine.playhead(at: 3 * second) == .seconds(2))
        machine.tick(at: 6 * second)
        #expect(machine.phase == .buffering)
        #expect(machine.playhead(at: 9 * second) == .seconds(4))
        machine.mediaAvailable(to: .seconds(8), at: 10 * second)
        #expect(machine.phase == .playing)
        #expect(machine.playhead(at: 11 * second) == .seconds(5))
    }

    @Test("does not move while paused, and continues from the same position")
    func pause() {
        var machine = loaded()
        machine.play(at: 0)
        machine.mediaAvailable(to: .seconds(60), at: 0)
        machine.pause(at: 2 * second)
        #expect(machine.playhead(at: 50 * second) == .seconds(2))
        machine.play(at: 50 * second)
        #expect(machine.playhead(at: 51 * second) == .seconds(3))
    }

    @Test(
        "a seek while not playing is clamped to the timeline and leaves the player paused",
        arguments: [
            (-5.0, 0.0, true), (30, 30, false), (99, 60, true),
        ]
    )
    func seek(target: Double, expected: Double, isClamped: Bool) {
        var machine = loaded()
        #expect(machine.seek(to: .seconds(target), at: 0).isClamped == isClamped)
        #expect(machine.phase == .seeking)
        machine.mediaAvailable(to: .seconds(60), at: second)
        #expect(machine.phase == .paused)
        #expect(machine.playhead(at: 9 * second) == .seconds(expected))
    }

    @Test("any rate above 0 has a deadline", arguments: [2, 1, 1e-9, 1e-300, .leastNonzeroMagnitude])
    func deadline(rate: Double) throws {
        var machine = loaded()
        _ = machine.setRate(rate, at: 0)
        machine.play(at: 0)
        machine.mediaAvailable(to: .seconds(60), at: 0)
        #expect(try #require(machine.arrival) >= 30 * second)
        machine.tick(at: 86_400 * second)
        #expect(machine.phase == (rate >= 1 ? .ended : .playing))
    }

    @Test("a playhead beyond the end moves back to it once the end is known, and the phase stays")
    func lateDuration() {
        var machine = PlayerStateMachine(position: .seconds(99))
        machine.opened(at: 0)
        let isMovedByNothing = machine.setDuration(nil)
        let isMovedByEnd = machine.setDuration(.seconds(60))
        let isMovedAgain = machine.setDuration(.seconds(60))
        #expect(!isMovedByNothing && isMovedByEnd && !isMovedAgain)
        #expect(machine.phase == .ready)
        #expect(machine.playhead(at: second) == .seconds(60))
    }

    @Test("playing starts over wherever the session rests at the end, or goes there to rest", arguments: 0..<4)
    func playAtTheEnd(case number: Int) {
        var machine = loaded()
        if number == 0 {
            machine = PlayerStateMachine(position: .seconds(60))
            machine.opened(at: 0)
            machine.setDuration(.seconds(60))
        } else {
            if number == 3 { machine.rendererAttached(at: 0) }
            let id = machine.seek(to: .seconds(60), at: 0).id
            if number == 2 { machine.mediaAvailable(to: .seconds(60), at: 0) }
            var rests = RendererReport(position: .seconds(60), rate: 0)
            rests.seekID = id
            if number == 3 { machine.rendererReported(rests, at: 0) }
        }
        #expect(machine.phase == [.ready, .seeking, .paused, .paused][number])
        #expect(machine.play(at: 0) == machine.lastSeek)
        #expect(machine.phase == .seeking && machine.wantsToPlay)
        #expect(machine.playhead(at: 0) == .zero)
    }

    @Test("what was played up to the end when its process was killed has ended")
    func restoredAtTheEnd() {
        var machine = PlayerStateMachine(position: .seconds(60), opening: PlayerOpening(thenPlay: true))
        machine.opened(at: 0)
        machine.setDuration(.seconds(60))
        #expect(machine.play(startingOver: false, at: 0) == nil)
        #expect(machine.phase == .ended)
    }

    @Test("a seek to the end that continues to play has ended there, also if it is told to play on the way")
    func playToTheEnd() {
        var machine = loaded()
        _ = machine.seek(to: .seconds(60), thenPlay: true, at: 0)
        #expect(machine.play(at: 0) == nil)
        machine.mediaAvailable(to: .seconds(60), at: 0)
        #expect(machine.phase == .ended)
    }

    @Test("a seek while playing continues to play from the target")
    func seekPlaying() {
        var machine = loaded()
        machine.play(at: 0)
        machine.mediaAvailable(to: .seconds(60), at: 0)
        _ = machine.seek(to: .seconds(40), at: second)
        machine.mediaAvailable(to: .seconds(44), at: 2 * second)
        #expect(machine.phase == .playing)
        #expect(machine.playhead(at: 3 * second) == .seconds(41))
    }

    @Test("playback ends at the end; seeking back leaves the end, and playing again starts over")
    func theEnd() {
        var machine = loaded(duration: 2)
        machine.play(at: 0)
        machine.mediaAvailable(to: .seconds(2), at: 0)
        machine.tick(at: 3 * second)
        #expect(machine.phase == .ended)
        #expect(machine.playhead(at: 9 * second) == .seconds(2))
        _ = machine.seek(to: .seconds(1), at: 9 * second)
        #expect(machine.phase == .seeking)
        machine.mediaAvailable(to: .seconds(2), at: 9 * second)
        machine.play(at: 9 * second)
        machine.tick(at: 12 * second)
        #expect(machine.phase == .ended)
        #expect(machine.play(at: 12 * second) == machine.lastSeek, "it begins a seek, and says which")
        machine.mediaAvailable(to: .seconds(2), at: 12 * second)
        #expect(machine.phase == .playing)
        #expect(machine.playhead(at: 12 * second) == .zero)
        #expect(machine.play(at: 12 * second) == nil)
    }

    @Test(
        "the rate is clamped and takes effect at once; at rate 0 the playhead stands still",
        arguments: [(3, 2, true), (-1, 0, true), (1.5, 1.5, false), (.nan, 1, true)] as [(Double, Double, Bool)]
    )
    func rate(asked: Double, applied: Double, isClamped: Bool) {
        var machine = loaded()
        machine.play(at: 0)
        machine.mediaAvailable(to: .seconds(60), at: 0)
        #expect(machine.setRate(asked, at: 2 * second) == isClamped)
        #expect(machine.playhead(at: 4 * second) == .seconds(2 + 2 * applied))
        #expect((machine.arrival == nil) == (applied == 0))
    }

    @Test("a loop continues from the start without buffering if media is available there")
    func loop() {
        var machine = loaded(duration: 10)
        machine.setLooping(true)
        machine.play(at: 0)
        machine.mediaAvailable(to: .seconds(10), at: 0)
        machine.mediaAvailable(atTurn: MediaTimeRange(start: .zero, end: .seconds(4)))
        _ = machine.takeEffects()
        machine.tick(at: 10 * second)
        #expect(machine.phase == .playing)
        #expect(machine.playhead(at: 11 * second) == .seconds(1))
        #expect(machine.playhead(at: 19 * second) == .seconds(4), "no more media is available from the start")
        #expect(machine.takeEffects() == [.looped])
        machine.setLooping(false)
        machine.mediaAvailable(to: .seconds(10), at: 11 * second)
        machine.tick(at: 21 * second)
        #expect(machine.phase == .ended)
    }

    private static func points(_ start: Double, _ end: Double?) -> LoopPoints? {
        LoopPoints(start: .seconds(start), end: end.map { .seconds($0) })
    }

    @Test(
        "a part is repeated when the playhead reaches its end, but not if the playhead was already at or past the end",
        arguments: [
            // The points, the playhead's position when they are set, and its position after five seconds.
            (points(2, 4), 1.5, 2.5), (points(2, 7), 3.5, 3.5), (points(2, 4), 4, 9), (points(2, 4), 6, 11),
            (points(2, nil), 3, 8), (nil, 3, 8),
            // The end of the source is the end of the part.
            (points(56, 90), 58, 59), (points(61, 90), 58, 60),
        ] as [(LoopPoints?, Double, Double)]
    )
    func repeated(points: LoopPoints?, start: Double, expected: Double) {
        var machine = loaded()
        _ = machine.seek(to: .seconds(start), thenPlay: true, at: 0)
        machine.mediaAvailable(to: .seconds(60), at: 0)
        machine.setLoopPoints(points, at: 0)
        if let points { machine.mediaAvailable(atTurn: MediaTimeRange(start: points.start, end: .seconds(60))) }
        for tick in 1...500 { machine.tick(at: Int64(tick) * second / 100) }
        let place = machine.playhead(at: 5 * second)
        #expect(abs(place.seconds - expected) < 0.011, "\(place.seconds)")
        #expect(machine.loopPoints == points)
    }

    @Test("a part whose end was passed before the part was set is not repeated")
    func passedPart() {
        var machine = loaded()
        machine.play(at: 0)
        machine.mediaAvailable(to: .seconds(60), at: 0)
        machine.setLoopPoints(Self.points(2, 4), at: 6 * second)
        machine.tick(at: 7 * second)
        #expect(machine.playhead(at: 7 * second) == .seconds(7))
        #expect(machine.takeEffects().isEmpty)
    }

    @Test("the player buffers if media at the start of a repeated part is missing; another source has no repeated part")
    func repeatedWithoutMedia() {
        var machine = loaded()
        machine.play(at: 0)
        machine.mediaAvailable(to: .seconds(60), at: 0)
        machine.mediaAvailable(atTurn: MediaTimeRange(start: .zero, end: .seconds(60)))
        machine.setLoopPoints(Self.points(2, 4), at: second)
        machine.tick(at: 4 * second)
        #expect(machine.phase == .buffering)
        #expect(machine.playhead(at: 5 * second) == .seconds(2))
        machine.reopened(at: .zero, settings: PlayerSettings(), at: 5 * second)
        #expect(machine.loopPoints == nil)
    }

    @Test(
        "a renderer is moved to the start of the part when it should have reached the end, or reports that it has",
        arguments: [
            // The reported position when the computed one is 3.5 s (`nil`: no report), and the target of the seek, if
            // any.
            (nil, 2.0), (3.9, nil), (4.01, 2), (30, 2),
        ] as [(Double?, Double?)]
    )
    func repeatedByRenderer(place: Double?, target: Double?) {
        var machine = loaded()
        machine.rendererAttached(at: 0)
        machine.play(at: 0)
        machine.setLoopPoints(Self.points(2, 4), at: 0)
        machine.rendererReported(RendererReport(position: .seconds(1), rate: 1), at: 0)
        #expect(machine.deadline == 3 * second + 1000)
        _ = machine.takeEffects()
        if let place {
            machine.rendererReported(RendererReport(position: .seconds(place), rate: 1), at: 3 * second - second / 2)
        } else {
            machine.tick(at: 3 * second + 1000)
        }
        let events = target.map { [SeekEvent(id: 1, stage: .began, target: .seconds($0))] } ?? []
        #expect(machine.takeEffects() == events.map { .seek($0) })
        #expect(machine.wantsToPlay)
    }

    @Test("a renderer that its user moves past a repeated part stays there")
    func movedPast() {
        var machine = loaded()
        machine.rendererAttached(at: 0)
        machine.play(at: 0)
        machine.setLoopPoints(Self.points(20, 40), at: 0)
        machine.rendererReported(RendererReport(position: .seconds(1), rate: 1), at: 0)
        machine.rendererReported(RendererReport(position: .seconds(50), rate: 1), at: second)
        #expect(machine.takeEffects().isEmpty)
        #expect(machine.playhead(at: second) == .seconds(50))
    }

    @Test("a phase that lasts too long is reported once and does not change; the next phase has its own time-out")
    func timeouts() {
        var machine = loaded()
        machine.play(at: 0)
        machine.tick(at: 29 * second)
        #expect(machine.takeEffects().isEmpty)
        #expect(machine.deadline == 30 * second)
        machine.tick(at: 30 * second)
        machine.tick(at: 90 * second)
        #expect(machine.takeEffects() == [.timedOut(.buffering, after: .seconds(30))])
        #expect(machine.phase == .buffering)
        #expect(machine.deadline == nil)
        _ = machine.seek(to: .seconds(20), at: 90 * second)
        machine.tick(at: 110 * second)
        #expect(
            machine.takeEffects() == [
                .seek(SeekEvent(id: 1, stage: .began, target: .seconds(20))),
                .timedOut(.seeking, after: .seconds(20)),
                .seek(SeekEvent(id: 1, stage: .stalled, target: .seconds(20))),
            ]
        )
        machine.mediaAvailable(to: .seconds(24), at: 111 * second)
        #expect(machine.takeEffects() == [.seek(SeekEvent(id: 1, stage: .landed, target: .seconds(20)))])
        #expect(machine.phase == .playing)
    }

    @Test("a seek that replaces another has its full time-out")
    func timeoutOfTheNext() {
        var machine = loaded()
        _ = machine.seek(to: .seconds(5), at: 0)
        _ = machine.seek(to: .seconds(6), at: 15 * second)
        machine.tick(at: 35 * second - 1)
        #expect(!machine.takeEffects().contains(.timedOut(.seeking, after: .seconds(20))))
        machine.tick(at: 35 * second)
        #expect(machine.takeEffects().contains(.timedOut(.seeking, after: .seconds(20))))
    }

    @Test("the deadline of a moving phase is the earlier of its time-out and the end of available media")
    func earlierDeadline() {
        var settings = PlayerSettings()
        settings.timeouts = [.playing: .seconds(5)]
        var machine = PlayerStateMachine(position: .zero, settings: settings)
        machine.opened(at: 0)
        machine.play(at: 0)
        machine.mediaAvailable(to: .seconds(60), at: 0)
        #expect(machine.deadline == 5 * second)
        machine.tick(at: 5 * second)
        #expect(machine.deadline == machine.arrival)
    }

    @Test("a source whose duration turns out to be 0 ends, even when looping")
    func noLength() {
        var machine = PlayerStateMachine(position: .zero)
        machine.opened(at: 0)
        machine.play(at: 0)
        machine.mediaAvailable(to: .seconds(1), at: 0)
        machine.setLooping(true)
        machine.setDuration(.zero)
        machine.tick(at: second)
        #expect(machine.phase == .ended)
    }

    @Test("another source does not inherit the duration of the previous one")
    func reopened() {
        var machine = loaded()
        machine.reopened(at: .zero, settings: PlayerSettings(), at: 0)
        machine.opened(at: 0)
        #expect(machine.seek(to: .seconds(99), at: 0).isClamped == false)
    }

    @Test("another source has its own rates and time-outs, and none of the old media where its loop starts again")
    func settingsOfAnother() {
        var machine = loaded(duration: 10)
        machine.setLooping(true)
        _ = machine.setRate(1.5, at: 0)
        machine.mediaAvailable(atTurn: MediaTimeRange(start: .zero, end: .seconds(4)))
        var settings = PlayerSettings()
        (settings.rateRange, settings.timeouts) = (0.5...1, [.buffering: .seconds(1)])
        machine.reopened(at: .zero, settings: settings, at: 0)
        #expect(machine.requestedRate == 1)
        let isClamped = machine.setRate(0.25, at: 0)
        #expect(isClamped && machine.requestedRate == 0.5)
        _ = machine.setRate(1, at: 0)
        machine.opened(at: 0)
        machine.setDuration(.seconds(10))
        machine.play(at: 0)
        machine.mediaAvailable(to: .seconds(10), at: 0)
        machine.tick(at: 10 * second)
        #expect(machine.phase == .buffering && machine.playhead(at: 10 * second) == .zero)
        #expect(machine.deadline == 11 * second)
    }

    @Test("a session that stops opens no other source")
    func stopping() {
        var machine = loaded()
        machine.stopping(at: 0)
        machine.reopened(at: .zero, settings: PlayerSettings(), at: 1)
        #expect(machine.phase == .stopping)
    }

    @Test("a phase without a time-out never times out")
    func noTimeouts() {
        var settings = PlayerSettings()
        settings.timeouts = [:]
        var machine = PlayerStateMachine(position: .zero, settings: settings)
        #expect(machine.deadline == nil)
        machine.tick(at: .max)
        #expect(machine.takeEffects().isEmpty)
    }

    @Test("a seek that is followed by another is superseded; after a failure seeks are rejected")
    func seeks() {
        var machine = loaded()
        #expect(machine.seek(to: .seconds(5), at: 0).id == 1)
        #expect(machine.seek(to: .seconds(6), thenPlay: true, at: 1).id == 2)
        machine.mediaAvailable(to: .seconds(9), at: 2)
        #expect(machine.phase == .playing)
        machine.failed(EngineError(.internal, "x"), at: 3)
        #expect(machine.seek(to: .seconds(7), at: 4).isRejected)
        let stages = machine.takeEffects().compactMap { effect -> String? in
            if case .seek(let event) = effect { "\(event.id) \(event.stage)" } else { nil }
        }
        #expect(stages == ["1 began", "1 superseded", "2 began", "2 landed", "3 rejected"])
    }

    @Test("a failure, a load or a stop ends a seek, and nothing is left to play")
    func ends() {
        for end in 0..<3 {
            var machine = loaded()
            _ = machine.seek(to: .seconds(5), at: 0)
            _ = machine.takeEffects()
            switch end {
            case 0: machine.failed(EngineError(.internal, "x"), at: 1)
            case 1: machine.reopened(at: .zero, settings: PlayerSettings(), at: 1)
            default: machine.stopping(at: 1)
            }
            #expect(machine.takeEffects() == [.seek(SeekEvent(id: 1, stage: .superseded, target: .seconds(5)))])
            let phase = machine.phase
            machine.play(at: 2)
            machine.mediaAvailable(to: .seconds(9), at: 2)
            #expect(machine.phase == phase)
        }
    }

    @Test("the playhead never leaves the timeline or moves back on its own, whatever happens", arguments: 0..<60)
    func random(seed: Int) {
        var generator = SplitMix(state: UInt64(seed))
        var machine = loaded(duration: 30)
        var now: Int64 = 0
        for _ in 0..<400 {
            now += Int64.random(in: 0...(2 * second), using: &generator)
            switch Int.random(in: 0..<7, using: &generator) {
            case 6: machine.setLooping(.random(using: &generator))
            case 0: machine.play(at: now)
            case 1: machine.pause(at: now)
            case 2: _ = machine.seek(to: .seconds(.random(in: -10...40, using: &generator)), at: now)
            case 3: _ = machine.setRate(.random(in: -1...3, using: &generator), at: now)
            case 4:
                machine.mediaAvailable(
                    to: machine.playhead(at: now) + .seconds(.random(in: 0...8, using: &generator)),
                    at: now
                )
            default: machine.tick(at: now)
            }
            _ = machine.takeEffects()
            let place = machine.playhead(at: now)
            #expect(place >= .zero && place <= .seconds(30))
            let later = machine.playhead(at: now + second)
            #expect(later >= place)
            if machine.phase != .playing { #expect(later == place) }
            let isMoving = machine.anchor(at: now).rate != 0
            #expect(!isMoving || machine.phase == .playing)
            if machine.phase == .ended { #expect(place == .seconds(30)) }
        }
    }
}
