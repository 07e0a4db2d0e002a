// SPDX-License-Identifier: Apache-2.0

import Bindings
import EngineModel
import EngineRuntime
import EngineTestKit
import Testing

@testable import Decoding

/// On a busy machine the renderer may be delayed until its sinks run out of frames and audio. A test in which nothing
/// may be missing therefore repeats playback (`eventually`) until the renderer was not delayed. If something is missing
/// every time, the suite's time limit ends the test. `PresentationTests` checks the timing of frames without waiting.
@Suite("The engine's own renderer", .timeLimit(.minutes(10)))
struct SoftwareRendererTests {
    private func script(_ seconds: Double) -> TestSource.Script {
        var script = TestSource.Script()
        script.video = .seconds(seconds)
        script.audio = .seconds(seconds)
        return script
    }

    @Test("plays to the end, and gives every frame once and in order")
    func whole() async throws {
        let expected = (0..<25).map { (number: Int) -> MediaTime in .seconds(Double(number) / 25) }
        try await eventually {
            let harness = RendererHarness(script(1))
            let screen = TestScreen()
            _ = await harness.renderer.attach(screen)
            _ = await harness.renderer.attach(NullAudioSink())
            harness.send(.load(url: "film", position: .zero), .rate(1), .play)
            try await harness.report { $0.hasEnded }
            try await eventually { screen.isFinished }
            #expect(harness.reports.last?.position == .seconds(1))
            let given = screen.given.map(\.time)
            #expect(given == expected.filter { given.contains($0) })
            #expect(harness.failure == nil)
            await harness.stop()
            #expect(harness.source.isClosed)
            return given == expected
        }
    }

    @Test("a source longer than its stated duration is played to its end", arguments: [true, false])
    func longer(isRealTime: Bool) async throws {
        let harness = RendererHarness(script(3))
        let screen = TestScreen(isRealTime: isRealTime)
        _ = await harness.renderer.attach(screen)
        await harness.renderer.setDuration(.seconds(1))
        harness.send(.load(url: "film", position: .zero), .rate(1), .play)
        try await harness.report { $0.hasEnded }
        #expect(harness.reports.last?.position == .seconds(1))
        if !isRealTime { #expect(screen.given.map(\.time) == (0..<75).map { .seconds(Double($0) / 25) }) }
        await harness.stop()
    }

    @Test("obeys no command after stop")
    func stopThenLoad() async throws {
        let source = TestSource(script(1))
        let isOver = Locked(false)
        let renderer = SoftwareRenderer(
            listener: RendererListener(report: { _ in }, notice: { _ in }, failed: { _ in }),
            opening: { _ async throws(EngineError) in source }
        )
        renderer.receive(RendererCommand(number: 1, action: .stop))
        renderer.receive(RendererCommand(number: 2, action: .load(url: "film", position: .zero)))
        let running = Task {
            await renderer.run()
            isOver.withLock { $0 = true }
        }
        defer { running.cancel() }
        try await eventually { isOver.withLock { $0 } }
    }

    @Test("while paused, shows the frame at the target of a seek and reports that position")
    func pausedSeek() async throws {
        let harness = RendererHarness()
        let screen = TestScreen()
        _ = await harness.renderer.attach(screen)
        harness.send(.load(url: "film", position: .zero), .pause)
        try await eventually { screen.given.first?.time == .zero }
        harness.send(.seek(id: 7, position: .seconds(5.01)))
        try await harness.report { $0.seekID == 7 }
        #expect(harness.reports.last?.position == .seconds(5.01))
        #expect(harness.reports.last?.rate == 0)
        try await eventually { screen.frame(at: .seconds(5.01))?.time == .seconds(5) }
        #expect(screen.given.last { $0.time == .zero }?.generation != screen.generation)
        await harness.stop()
    }

    @Test(
        "the frame on screen is shown again on request, at the same position",
        arguments: [0.0, 5.01, 10.0]
    )
    func redraw(seconds: Double) async throws {
        let harness = RendererHarness()
        let screen = TestScreen()
        _ = await harness.renderer.attach(screen)
        _ = await harness.renderer.attach(NullAudioSink())
        harness.send(.load(url: "film", position: .zero), .pause, .seek(id: 1, position: .seconds(seconds)))
        try await harness.report { $0.seekID == 1 }
        try await eventually { screen.frame(at: .seconds(seconds)) != nil }
        let before = try #require(screen.frame(at: .seconds(seconds)))
        // Several changes at once: each requests a redraw, and the last one is shown.
        for _ in 0..<5 { await harness.renderer.redraw() }
        try await eventually {
            screen.frame(at: .seconds(seconds)).map { $0.generation > before.generation } ?? false
        }
        #expect(screen.frame(at: .seconds(seconds))?.time == before.time)
        #expect(harness.reports.last?.position == .seconds(seconds))
        harness.send(.play)
        try await harness.report { seconds == 10 ? $0.hasEnded : $0.rate == 1 }
        #expect(harness.failure == nil)
        await harness.stop()
    }

    @Test("playback that has ended stays ended while its last frame is redrawn")
    func redrawAtTheEnd() async throws {
        let harness = RendererHarness(script(0.5))
        let screen = TestScreen()
        _ = await harness.renderer.attach(screen)
        harness.send(.load(url: "film", position: .zero), .play)
        try await harness.report { $0.hasEnded }
        let count = harness.reports.count
        let generation = screen.generation
        await harness.renderer.redraw()
        try await eventually {
            screen.given.last.map { $0.generation > generation && $0.time == .seconds(0.48) } ?? false
        }
        #expect(harness.reports.dropFirst(count).filter { !$0.hasEnded }.isEmpty)
        await harness.stop()
    }

    @Test("an audio file ends with the last frame, however late that is decoded")
    func silenceBehindAudio() async throws {
        var script = script(2)
        script.audio = .seconds(1)
        script.videoGate = .seconds(1.2)
        let harness = RendererHarness(script)
        let file = CountingSink()
        _ = await harness.renderer.attach(TestScreen(isRealTime: false))
        _ = await harness.renderer.attach(file)
        harness.send(.load(url: "film", position: .zero), .play)
        try await eventually { file.count >= 48_000 * 12 / 10 }
        #expect(file.count == 48_000 * 12 / 10)
        harness.source.release()
        try await harness.report { $0.hasEnded }
        try await eventually { file.count >= 48_000 * 2 }
        #expect(file.count == 48_000 * 2)
        await harness.stop()
    }

    @Test("decodes nothing without sinks, and its clock runs")
    func nobody() async throws {
        let harness = RendererHarness()
        harness.send(.load(url: "film", position: .seconds(2)), .play)
        try await harness.report { $0.rate == 1 && $0.position > .seconds(3) }
        #expect(harness.source.givenFrames == 0)
        #expect(harness.source.givenAudio == 0)
        #expect(harness.source.begun.isEmpty)
        await harness.stop()
    }

    @Test("a screen that is attached late sees the current frame, and the audio continues")
    func lateScreen() async throws {
        try await eventually {
            let harness = RendererHarness()
            let heard = Locked([Int64]())
            _ = await harness.renderer.attach(NullAudioSink { _, first, _ in heard.withLock { $0.append(first) } })
            harness.send(.load(url: "film", position: .zero), .play)
            try await harness.report { $0.rate == 1 && $0.position > .seconds(1) }
            let screen = TestScreen()
            _ = await harness.renderer.attach(screen)
            try await eventually { screen.given.count > 5 }
            let first = screen.given[0].time
            let now = try #require(screen.anchor).position(at: monotonicNanoseconds())
            #expect(first > .seconds(0.9) && first < now + .seconds(0.5))
            await harness.stop()
            // No sample was given twice or skipped.
            let numbers = heard.withLock { $0 }
            #expect(numbers == numbers.indices.map { Int64($0) * TestSource.blockLength })
            return !harness.reports.contains { $0.isBuffering && $0.position > .zero }
        }
    }

    @Test("a loop continues without an end, and without a gap in the audio")
    func loop() async throws {
        let expected = (0..<60).map { (number: Int) -> MediaTime in .seconds(Double(number % 25) / 25) }
        try await eventually {
            let harness = RendererHarness(script(1))
            let screen = TestScreen()
            let heard = Locked([(first: Int64, time: MediaTime)]())
            _ = await harness.renderer.attach(screen)
            _ = await harness.renderer.attach(
                NullAudioSink { audio, first, _ in heard.withLock { $0.append((first, audio.time)) } }
            )
            await harness.renderer.setLooping(true)
            harness.send(.load(url: "film", position: .zero), .play)
            try await eventually { screen.given.count > 60 }
            await harness.stop()
            #expect(!harness.reports.contains { $0.hasEnded })
            let given = screen.given
            for (frame, next) in zip(given, given.dropFirst()) {
                #expect(frame.time < next.time || frame.generation < next.generation)
            }
            let rounds = heard.withLock { $0.filter { $0.time == .zero }.map(\.first) }
            for (round, next) in zip(rounds, rounds.dropFirst()) { #expect(next - round >= 48_000) }
            let isHeldUp = harness.reports.contains { $0.isBuffering && $0.position > .zero }
            return !isHeldUp && given.prefix(60).map(\.time) == expected && rounds.starts(with: [0, 48_000])
        }
    }

    @Test("sinks that are not real-time get every frame as fast as they take frames")
    func paced() async throws {
        let harness = RendererHarness(script(60))
        let screen = TestScreen(isRealTime: false)
        _ = await harness.renderer.attach(screen)
        harness.send(.load(url: "film", position: .zero), .play)
        try await harness.report { $0.hasEnded }
        #expect(screen.given.count == 60 * 25)
        #expect(harness.reports.last?.position == .seconds(60))
        #expect(harness.reports.last?.droppedFrames == 0)
        await harness.stop()
    }

    @Test(
        "a sink that is not real-time gets every frame of each lap of a loop, and the playhead follows it",
        arguments: [true, false]
    )
    func pacedLoop(hasAudio: Bool) async throws {
        var script = script(1)
        if !hasAudio { script.audio = .zero }
        let harness = RendererHarness(script)
        let screen = TestScreen(isRealTime: false)
        _ = await harness.renderer.attach(screen)
        await harness.renderer.setLooping(true)
        harness.send(.load(url: "film", position: .zero), .play)
        try await eventually { screen.given.count > 130 }
        let expected = (0..<125).map { (number: Int) -> MediaTime in .seconds(Double(number % 25) / 25) }
        #expect(screen.given.prefix(125).map(\.time) == expected)
        #expect(harness.reports.last?.droppedFrames == 0)
        await harness.stop()
    }

    @Test("waits when the decoded audio runs out, and continues when there is enough again")
    func underrun() async throws {
        var script = script(10)
        script.audioGate = .seconds(1)
        let harness = RendererHarness(script)
        let screen = TestScreen()
        _ = await harness.renderer.attach(screen)
        _ = await harness.renderer.attach(NullAudioSink())
        harness.send(.load(url: "film", position: .zero), .play)
        try await harness.report { $0.isBuffering && $0.position > .zero }
        let stalled = try #require(harness.reports.last)
        // Not after the end of the audio, except for the tolerance of the clock.
        #expect(stalled.position < .seconds(1.02))
        let count = harness.reports.count
        harness.source.release()
        try await harness.report(after: count) { $0.rate == 1 && $0.position >= stalled.position }
        await harness.stop()
    }

    @Test("continues without a device that is lost, and reports the loss")
    func lostDevice() async throws {
        let harness = RendererHarness(script(10))
        let device = FragileSink(lives: 30)
        _ = await harness.renderer.attach(device)
        harness.send(.load(url: "film", position: .zero), .play)
        try await eventually { harness.notices.contains { $0.code == "sound.lost" } }
        let count = harness.reports.count
        let place = try #require(harness.reports.last?.position)
        try await harness.report(after: count) { $0.rate == 1 && $0.position > place + .seconds(0.5) }
        await harness.stop()
    }

    @Test("a lost sink is replaced by the previous one, less than a second from the playhead")
    func nextDevice() async throws {
        try await eventually {
            let harness = RendererHarness(script(10))
            let heard = Locked([MediaTime]())
            let first = NullAudioSink { audio, _, _ in heard.withLock { $0.append(audio.time) } }
            _ = await harness.renderer.attach(first)
            _ = await harness.renderer.attach(FragileSink(lives: 30))
            harness.send(.load(url: "film", position: .zero), .play)
            try await eventually { harness.notices.contains { $0.code == "sound.lost" } }
            try await eventually { heard.withLock { $0.count } > 20 }
            let place = try #require(harness.reports.last?.position)
            await harness.stop()
            return abs((heard.withLock { $0[0] } - place).seconds) < 1
        }
    }

    @Test("another sink takes over while the previous one is full")
    func takenOver() async throws {
        let harness = RendererHarness(script(60))
        let first = await harness.renderer.attach(NullAudioSink())
        harness.send(.load(url: "film", position: .zero), .play)
        try await harness.report { $0.rate == 1 && $0.position > .seconds(0.5) }
        for _ in 0..<3 {
            let count = Locked(0)
            let second = await harness.renderer.attach(NullAudioSink { _, _, _ in count.withLock { $0 += 1 } })
            try await eventually { count.withLock { $0 } > 10 }
            let reports = harness.reports.count
            let place = try #require(harness.reports.last?.position)
            await harness.renderer.detach(second)
            try await harness.report(after: reports) { $0.rate == 1 && $0.position > place + .seconds(0.5) }
        }
        await harness.renderer.detach(first)
        let reports = harness.reports.count
        try await harness.report(after: reports) { $0.rate == 1 }
        await harness.stop()
    }

    @Test("rate changes take effect, and positions never go back")
    func rates() async throws {
        let harness = RendererHarness(script(60))
        _ = await harness.renderer.attach(NullAudioSink())
        harness.send(.load(url: "film", position: .zero), .play, .rate(2))
        try await harness.report { $0.rate == 2 && $0.position > .seconds(2) }
        harness.send(.rate(0.5))
        try await harness.report { $0.rate == 0.5 }
        harness.send(.pause)
        try await eventually { harness.reports.last?.rate == 0 }
        let positions = harness.reports.map(\.position)
        #expect(positions == positions.sorted())
        await harness.stop()
    }
}

/// Takes all audio at once, and counts the samples.
final class CountingSink: AudioSink {
    private let taken = Locked(0)

    var count: Int { taken.withLock { $0 } }
    var isRealTime: Bool { false }
    func format(for source: AudioFormat) -> AudioFormat { source }
    func flush(to generation: UInt64) {}
    func setRunning(_ isRunning: Bool) {}
    func samplesHeard(at now: Int64) -> Int64? { nil }
    func finish(generation: UInt64) {}

    func take(_ audio: TimedAudio, generation: UInt64) async -> Bool {
        taken.withLock { $0 += audio.block.count }
        return true
    }
}

/// A device that is lost after some pieces of audio.
final class FragileSink: AudioSink {
    private let inner = NullAudioSink()
    private let lives: Locked<Int>

    init(lives: Int) { self.lives = Locked(lives) }

    var isRealTime: Bool { true }
    func format(for source: AudioFormat) -> AudioFormat { source }
    func flush(to generation: UInt64) { inner.flush(to: generation) }
    func setRunning(_ isRunning: Bool) { inner.setRunning(isRunning) }
    func samplesHeard(at now: Int64) -> Int64? { inner.samplesHeard(at: now) }
    func finish(generation: UInt64) {}

    func take(_ audio: TimedAudio, generation: UInt64) async -> Bool {
        let isAlive = lives.withLock { lives in
            lives -= 1
            return lives > 0
        }
        guard isAlive else { return false }
        return await inner.take(audio, generation: generation)
    }
}
