// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Decoding

@Suite("Decisions about playback in the engine")
struct PresentationStateMachineTests {
    private typealias Stock = PresentationStateMachine.Stock
    private static let second: Int64 = 1_000_000_000

    private func stock(
        video: Double? = nil,
        audio: Double? = nil,
        ahead: Double = 4,
        isComplete: Bool = false,
        at now: Int64 = 0
    ) -> Stock {
        var stock = Stock()
        stock.video = video.map {
            .init(isReady: true, end: .seconds($0), isComplete: isComplete, lastArrival: now)
        }
        stock.audio = audio.map { .init(ahead: .seconds(ahead), end: .seconds($0), isComplete: isComplete) }
        return stock
    }

    private func heard(_ seconds: Double, rate: Double = 1, lap: UInt64 = 1) -> AudioMap.Place {
        AudioMap.Place(time: .seconds(seconds), rate: rate, lap: lap)
    }

    private func loaded(_ position: Double = 0) -> PresentationStateMachine {
        var machine = PresentationStateMachine()
        machine.load(at: .seconds(position), now: 0)
        return machine
    }

    @Test("a load decodes from its position on, and the playhead stays there until the command to play")
    func load() {
        var machine = loaded(5)
        #expect(machine.takeEffects() == [.begin(at: .seconds(5))])
        machine.advance(stock(video: 5.04), heard: nil, at: 0)
        #expect(machine.state == .standing)
        machine.play(at: 0)
        machine.advance(stock(video: 5.04), heard: nil, at: 0)
        #expect(machine.state == .moving)
        #expect(machine.position(at: Self.second) == .seconds(6))
    }

    @Test("with audio, the playhead stands still until the first sample is heard, and then follows the audio")
    func audioIsMaster() {
        var machine = loaded()
        machine.play(at: 0)
        machine.advance(stock(video: 0.3, audio: 4), heard: nil, at: 0)
        #expect(machine.takeEffects().last == .runAudio(true))
        machine.advance(stock(video: 0.3, audio: 4), heard: nil, at: Self.second)
        #expect(machine.position(at: Self.second) == .zero)
        machine.advance(stock(video: 0.3, audio: 4), heard: heard(0.01), at: Self.second)
        #expect(machine.position(at: Self.second) == .seconds(0.01))
        #expect(machine.position(at: 2 * Self.second) == .seconds(1.01))
    }

    @Test(
        "small deviations from the audio are corrected in parts, large ones at once",
        arguments: [(1.008, 1.002), (0.992, 0.998), (1.5, 1.5), (0.5, 0.5)]
    )
    func following(reported: Double, expected: Double) {
        var machine = loaded()
        machine.play(at: 0)
        let stock = stock(video: 3, audio: 4)
        machine.advance(stock, heard: nil, at: 0)
        machine.advance(stock, heard: heard(0), at: 0)
        machine.advance(stock, heard: heard(reported), at: Self.second)
        #expect(machine.position(at: Self.second) == .seconds(expected))
    }

    @Test("an unnoticed slowdown of the audio does not move the playhead back")
    func slower() {
        var machine = loaded()
        machine.play(at: 0)
        let stock = stock(video: 3, audio: 4)
        machine.advance(stock, heard: nil, at: 0)
        machine.advance(stock, heard: heard(1, rate: 2), at: 0)
        // The playhead is 18 ms ahead of the audio, and waits until the audio catches up.
        machine.advance(stock, heard: heard(1, rate: 0.5), at: 9_000_000)
        let before = machine.position(at: 9_000_000)
        machine.advance(stock, heard: heard(1, rate: 0.5), at: 9_100_000)
        #expect(machine.position(at: 9_100_000) == before)
    }

    @Test("a pause stops at the position of the audio, even after an unnoticed change of its rate")
    func pauseAfterChange() {
        var machine = loaded()
        machine.play(at: 0)
        let stock = stock(video: 3, audio: 4)
        machine.advance(stock, heard: nil, at: 0)
        machine.advance(stock, heard: heard(1, rate: 2), at: 0)
        machine.listen(heard(1.05, rate: 0.5), at: 100_000_000)
        machine.pause(at: 100_000_000)
        #expect(machine.position(at: 100_000_000) == .seconds(1.05))
        machine.listen(heard(2), at: 200_000_000)
        #expect(machine.position(at: 200_000_000) == .seconds(1.05))
    }

    @Test("the playhead waits below 0.15 s of audio, and continues at 2 s")
    func underrun() {
        var machine = loaded()
        machine.play(at: 0)
        machine.advance(stock(audio: 1), heard: nil, at: 0)
        machine.advance(stock(audio: 1), heard: heard(0), at: 0)
        machine.advance(stock(audio: 1, ahead: 0.15), heard: heard(0.85), at: 850_000_000)
        #expect(machine.state == .moving)
        machine.advance(stock(audio: 1, ahead: 0.14), heard: heard(0.86), at: 860_000_000)
        #expect(machine.state == .buffering(isUnderrun: true))
        #expect(machine.takeEffects().last == .runAudio(false))
        #expect(machine.position(at: 9 * Self.second) == .seconds(0.86))
        machine.advance(stock(audio: 2.5, ahead: 1.9), heard: nil, at: 2 * Self.second)
        #expect(machine.state == .buffering(isUnderrun: true))
        machine.advance(stock(audio: 3, ahead: 2), heard: nil, at: 3 * Self.second)
        #expect(machine.state == .moving)
    }

    @Test("the end of the audio is not an underrun")
    func endOfAudio() {
        var machine = loaded()
        machine.play(at: 0)
        machine.advance(stock(audio: 1, ahead: 1, isComplete: true), heard: nil, at: 0)
        machine.advance(stock(audio: 1, ahead: 0.01, isComplete: true), heard: heard(0.99), at: 0)
        #expect(machine.state == .moving)
        machine.advance(stock(audio: 1, ahead: 0, isComplete: true), heard: heard(1), at: 10_000_000)
        #expect(machine.state == .ended)
        #expect(machine.position(at: Self.second) == .seconds(1))
    }

    @Test("late frames never stop the clock; missing frames do, if there is no audio")
    func starvation() {
        var machine = loaded()
        machine.play(at: 0)
        machine.advance(stock(video: 0.3), heard: nil, at: 0)
        // Frames arrive, but late.
        machine.advance(stock(video: 0.5, at: Self.second), heard: nil, at: Self.second)
        #expect(machine.state == .moving)
        machine.advance(stock(video: 0.5, at: Self.second), heard: nil, at: 2 * Self.second)
        #expect(machine.state == .buffering(isUnderrun: true))
        #expect(machine.position(at: 9 * Self.second) == .seconds(2))
    }

    @Test("a seek begins a new generation, and lands when there is a frame to show")
    func seek() {
        var machine = loaded()
        machine.play(at: 0)
        machine.advance(stock(video: 0.3), heard: nil, at: 0)
        let generation = machine.generation
        _ = machine.takeEffects()
        machine.seek(4, to: .seconds(30), at: Self.second)
        #expect(machine.generation == generation + 1)
        #expect(machine.takeEffects() == [.begin(at: .seconds(30))])
        var nothing = Stock()
        nothing.video = .init(isReady: false, end: .seconds(30), isComplete: false, lastArrival: 0)
        machine.advance(nothing, heard: nil, at: 2 * Self.second)
        #expect(machine.landedSeek == 0)
        #expect(machine.position(at: 2 * Self.second) == .seconds(30))
        machine.advance(stock(video: 30.04), heard: nil, at: 3 * Self.second)
        #expect(machine.landedSeek == 4)
        #expect(machine.state == .moving)
    }

    @Test("a loop continues at the start without a gap")
    func loop() {
        var machine = loaded()
        machine.setLooping(true)
        machine.play(at: 0)
        var end = stock(video: 2, isComplete: true)
        machine.advance(end, heard: nil, at: 0)
        let generation = machine.generation
        end.isNextLapReady = true
        machine.advance(end, heard: nil, at: 2 * Self.second + 10_000_000)
        #expect(machine.takeEffects().last == .nextLap)
        #expect(machine.generation == generation + 1)
        #expect(machine.position(at: 3 * Self.second) == .seconds(1))
    }

    @Test("with audio, the lap changes when the first sample of the next lap is heard")
    func audioLoop() {
        var machine = loaded()
        machine.setLooping(true)
        machine.play(at: 0)
        var end = stock(audio: 2, ahead: 1, isComplete: true)
        end.isNextLapReady = true
        machine.advance(end, heard: nil, at: 0)
        machine.advance(end, heard: heard(1.99), at: 0)
        let lap = machine.lap
        machine.advance(end, heard: heard(0.02, lap: lap + 1), at: 30_000_000)
        #expect(machine.lap == lap + 1)
        #expect(machine.position(at: 30_000_000) == .seconds(0.02))
    }

    @Test("sinks that are not real-time move the playhead")
    func paced() {
        var machine = loaded()
        machine.play(at: 0)
        var stock = stock(video: 100)
        stock.taken = .zero
        machine.advance(stock, heard: nil, at: 0)
        stock.taken = .seconds(70)
        machine.advance(stock, heard: nil, at: 1)
        #expect(machine.position(at: Self.second) == .seconds(70))
    }

    @Test("without sinks, the playhead moves until the end of the session")
    func alone() {
        var machine = loaded()
        machine.setDuration(.seconds(3))
        machine.play(at: 0)
        machine.advance(Stock(), heard: nil, at: 0)
        #expect(machine.position(at: Self.second) == .seconds(1))
        machine.advance(Stock(), heard: nil, at: 4 * Self.second)
        #expect(machine.state == .ended)
        #expect(machine.position(at: 5 * Self.second) == .seconds(3))
    }

    /// A machine whose playhead has reached the end at 4 s, shortly before the last sample is heard.
    private func atTheEnd() -> PresentationStateMachine {
        var machine = loaded()
        machine.play(at: 0)
        let stock = stock(audio: 4, isComplete: true)
        machine.advance(stock, heard: nil, at: 0)
        machine.advance(stock, heard: heard(3.9999), at: 0)
        _ = machine.takeEffects()
        #expect(machine.state == .ended)
        return machine
    }

    @Test("the audio stops when its last sample was heard, and not when the playhead is at the end")
    func lastSample() {
        let stock = stock(audio: 4, isComplete: true)
        var machine = atTheEnd()
        machine.advance(stock, heard: heard(3.99999), at: 1)
        #expect(machine.takeEffects().isEmpty)
        #expect(machine.isPlayingOut)
        machine.advance(stock, heard: heard(4), at: 2)
        #expect(machine.takeEffects() == [.runAudio(false)])
        #expect(!machine.isPlayingOut)
    }

    @Test("at the end, audio also stops after 0.25 s, if no sink plays it, if the sinks change, and on a seek")
    func unheardLastSample() {
        let stock = stock(audio: 4, isComplete: true)
        var machine = atTheEnd()
        machine.advance(stock, heard: heard(3.9999), at: Self.second / 4 - 1)
        #expect(machine.takeEffects().isEmpty)
        machine.advance(stock, heard: heard(3.9999), at: Self.second / 4)
        #expect(machine.takeEffects() == [.runAudio(false)])
        machine = atTheEnd()
        machine.advance(stock, heard: nil, at: 1)
        #expect(machine.takeEffects() == [.runAudio(false)])
        machine = atTheEnd()
        machine.sinksChanged(at: 1)
        #expect(machine.takeEffects() == [.runAudio(false)])
        machine = atTheEnd()
        machine.seek(1, to: .zero, at: 1)
        #expect(machine.takeEffects() == [.runAudio(false), .begin(at: .zero)])
    }

    @Test("when the audio sink is gone, the clock continues on its own")
    func lostAudio() {
        var machine = loaded()
        machine.play(at: 0)
        machine.advance(stock(audio: 4), heard: nil, at: 0)
        machine.advance(stock(audio: 4), heard: heard(0), at: 0)
        machine.audioIsGone(at: Self.second)
        machine.advance(Stock(), heard: nil, at: Self.second)
        #expect(machine.position(at: 3 * Self.second) == .seconds(3))
    }

    @Test("redraws never overlap, and one more follows if the processing changed meanwhile")
    func redrawing() {
        var machine = loaded()
        machine.advance(stock(video: 1), heard: nil, at: 0)
        let generation = machine.generation
        var nothing = Stock()
        nothing.video = .init(isReady: false, end: .zero, isComplete: false, lastArrival: 0)
        var answers = [machine.redraw(), machine.noteRedrawn(nothing), machine.redraw()]
        #expect(answers == [true, false, false])
        #expect(machine.generation == generation + 1)
        answers = [machine.noteRedrawn(stock(video: 1)), machine.redraw(), machine.noteRedrawn(stock(video: 1))]
        #expect(answers == [true, true, false])
        machine.play(at: 0)
        machine.advance(stock(video: 1), heard: nil, at: 0)
        let isRedrawn = machine.redraw()
        #expect(!isRedrawn)
    }
}
