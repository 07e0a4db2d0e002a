// SPDX-License-Identifier: Apache-2.0

import Bindings
import EngineModel
import EngineRuntime
import EngineTestKit
import Testing

@testable import Decoding

@Suite("The end of a source, and the next lap of a loop", .timeLimit(.minutes(10)))
struct EndingTests {
    @Test(
        "laps of a loop follow each other to the sample, even for a sink that takes everything at once",
        arguments: [(2.0, 2.0), (2.0, 1.5), (1.5, 2.0)]
    )
    func rounds(video: Double, audio: Double) async throws {
        var script = TestSource.Script()
        script.video = .seconds(video)
        script.audio = .seconds(audio)
        let harness = RendererHarness(script)
        let screen = TestScreen()
        let sink = GreedySink()
        _ = await harness.renderer.attach(screen)
        _ = await harness.renderer.attach(sink)
        await harness.renderer.setLooping(true)
        harness.send(.load(url: "film", position: .zero), .play)
        // On a busy machine, late frames lengthen the silence at the end of a lap.
        try await eventually { sink.laps.count { $0 == 96_000 } >= 2 }
        #expect(sink.laps.allSatisfy { $0 >= 96_000 })
        #expect(!harness.reports.contains { $0.hasEnded })
        await harness.stop()
    }

    @Test("at every rate, the end is reached when the last sample has been heard", arguments: [0.5, 1, 1.7, 4])
    func rates(rate: Double) async throws {
        var script = TestSource.Script()
        script.audio = .seconds(2)
        let harness = RendererHarness(script)
        let sink = GreedySink()
        // No screen: on a busy machine, late frames would add silence at the end.
        _ = await harness.renderer.attach(sink)
        harness.send(.load(url: "film", position: .zero), .rate(rate), .play)
        try await harness.report { $0.hasEnded }
        #expect(harness.reports.last?.position == .seconds(2))
        try await eventually { sink.isFinished }
        // At other rates, the length is exact except for the samples that the tempo filter needs to start.
        #expect(abs(Double(sink.given) - 96_000 / rate) < (rate == 1 ? 1 : 4800))
        await harness.stop()
    }

    @Test("the playhead is at the end once all samples are heard, whatever their number; further samples move it on")
    func closedMap() {
        var map = AudioMap()
        map.append(count: 47_000, sampleRate: 48_000, time: .zero, rate: 2, lap: 1)
        map.close(at: .seconds(2))
        #expect(map.place(heard: 24_000)?.time == .seconds(1))
        #expect(map.place(heard: 47_000)?.time == .seconds(2))
        map.append(count: 48_000, sampleRate: 48_000, time: .zero, rate: 1, lap: 2)
        #expect(map.place(heard: 47_000 + 24_000) == AudioMap.Place(time: .seconds(0.5), rate: 1, lap: 2))
        #expect(map.place(heard: 95_000)?.time == .seconds(1))
    }
}

/// A device that has room for everything and plays in real time.
final class GreedySink: AudioSink {
    private struct State {
        var generation: UInt64 = 0
        var given: Int64 = 0
        /// For each lap: the number of samples given before it.
        var starts: [Int64] = []
        var heard = 0.0
        var runsSince: Int64?
        var finished: UInt64?

        func heard(at now: Int64) -> Double {
            let passed = runsSince.map { Double(now - $0) * 48_000 / 1e9 } ?? 0
            return min(Double(given), heard + passed)
        }
    }

    private let state = Locked(State())

    var given: Int64 { state.withLock { $0.given } }
    /// The number of samples given for each lap that is followed by another one.
    var laps: [Int64] {
        let starts = state.withLock { $0.starts }
        return zip(starts, starts.dropFirst()).map { $1 - $0 }
    }
    var isFinished: Bool { state.withLock { $0.finished == $0.generation } }

    var isRealTime: Bool { true }
    func format(for source: AudioFormat) -> AudioFormat { source }

    func take(_ audio: TimedAudio, generation: UInt64) async -> Bool {
        state.withLock { state in
            guard generation == state.generation else { return }
            if audio.time == .zero { state.starts.append(state.given) }
            state.given += Int64(audio.block.count)
        }
        return true
    }

    func flush(to generation: UInt64) {
        state.withLock {
            $0 = State(generation: generation, runsSince: $0.runsSince.map { _ in monotonicNanoseconds() })
        }
    }

    func setRunning(_ isRunning: Bool) {
        let now = monotonicNanoseconds()
        state.withLock { state in
            state.heard = state.heard(at: now)
            state.runsSince = isRunning ? now : nil
        }
    }

    func samplesHeard(at now: Int64) -> Int64? {
        state.withLock { state in
            let heard = Int64(state.heard(at: now))
            return heard > 0 || state.runsSince != nil ? heard : nil
        }
    }

    func finish(generation: UInt64) { state.withLock { $0.finished = generation } }
}
