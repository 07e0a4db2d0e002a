// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineTestKit
import Testing

@testable import Decoding

@Suite("Audio and video in sync", .timeLimit(.minutes(10)))
struct SyncTests {
    private let limit = 0.010

    private func harness(_ frameRate: Double, gate: MediaTime? = nil) async throws -> RendererHarness {
        var script = TestSource.Script()
        script.frameRate = frameRate
        // Longer than the time limit, so that playback never ends.
        script.video = .seconds(3600)
        script.audio = .seconds(3600)
        script.audioGate = gate
        return RendererHarness(script)
    }

    /// Watches until at least `count` flashes are measured, and more than half of them are shown and near their beeps:
    /// on a busy machine, single frames may be late. If that never happens, the suite's time limit ends the wait.
    private func expectSync(
        _ probe: SyncProbe,
        _ screen: TestScreen,
        _ sink: any AudioSink,
        count: Int,
        _ what: String
    ) async throws {
        defer { print("sync, \(what): \(SyncProbe.histogram(probe.offsets))") }
        try await probe.watch(screen, sink) { offsets in
            offsets.count >= count && offsets.map(\.magnitude).sorted()[offsets.count / 2] <= limit
        }
    }

    @Test("most flashes are at most 10 ms from their beeps, at every frame rate", arguments: [24.0, 25, 30, 60])
    func frameRates(rate: Double) async throws {
        let (harness, screen, probe) = (try await harness(rate), TestScreen(), SyncProbe())
        let sink = NullAudioSink { probe.record($0, $1, $2) }
        _ = await harness.renderer.attach(screen)
        _ = await harness.renderer.attach(sink)
        harness.send(.load(url: "film", position: .zero), .play)
        try await expectSync(probe, screen, sink, count: 4, "\(Int(rate)) fps")
        await harness.stop()
    }

    @Test("in sync after 50 seeks")
    func seeks() async throws {
        let (harness, screen, probe) = (try await harness(25), TestScreen(), SyncProbe())
        let sink = NullAudioSink { probe.record($0, $1, $2) }
        _ = await harness.renderer.attach(screen)
        _ = await harness.renderer.attach(sink)
        harness.send(.load(url: "film", position: .zero), .play)
        var random = SplitMix(state: 6)
        for id in 1...50 {
            let target = Double.random(in: 0..<100, using: &random)
            harness.send(.seek(id: UInt64(id), position: .seconds(target)))
            if id.isMultiple(of: 5) { try await harness.report { $0.seekID == UInt64(id) } }
        }
        try await harness.report { $0.seekID == 50 && $0.rate == 1 }
        probe.forget()
        try await expectSync(probe, screen, sink, count: 4, "after 50 seeks")
        await harness.stop()
    }

    @Test("in sync after pauses")
    func pauses() async throws {
        let (harness, screen, probe) = (try await harness(30), TestScreen(), SyncProbe())
        let sink = NullAudioSink { probe.record($0, $1, $2) }
        _ = await harness.renderer.attach(screen)
        _ = await harness.renderer.attach(sink)
        harness.send(.load(url: "film", position: .zero), .play)
        for _ in 0..<3 {
            let count = probe.offsets.count
            try await probe.watch(screen, sink) { $0.count > count }
            harness.send(.pause)
            try await eventually { harness.reports.last?.rate == 0 }
            harness.send(.play)
            try await eventually { harness.reports.last?.rate == 1 }
        }
        try await expectSync(probe, screen, sink, count: 4, "after pauses")
        await harness.stop()
    }

    @Test("in sync after an underrun")
    func underrun() async throws {
        let (harness, screen, probe) = (try await harness(24, gate: .seconds(2)), TestScreen(), SyncProbe())
        let sink = NullAudioSink { probe.record($0, $1, $2) }
        _ = await harness.renderer.attach(screen)
        _ = await harness.renderer.attach(sink)
        harness.send(.load(url: "film", position: .zero), .play)
        try await harness.report { $0.isBuffering && $0.position > .zero }
        harness.source.release()
        try await expectSync(probe, screen, sink, count: 3, "after an underrun")
        await harness.stop()
    }

    @Test("in sync after changes of rate")
    func rates() async throws {
        let (harness, screen, probe) = (try await harness(25), TestScreen(), SyncProbe())
        let sink = NullAudioSink { probe.record($0, $1, $2) }
        _ = await harness.renderer.attach(screen)
        _ = await harness.renderer.attach(sink)
        harness.send(.load(url: "film", position: .zero), .play, .rate(1.5))
        try await harness.report { $0.rate == 1.5 && $0.position > .seconds(2) }
        harness.send(.rate(0.75))
        try await harness.report { $0.rate == 0.75 }
        harness.send(.rate(1))
        try await eventually { harness.reports.last?.rate == 1 }
        // Waits until the sink has played the output of the tempo filter.
        let (count, place) = (harness.reports.count, try #require(harness.reports.last?.position))
        try await harness.report(after: count) { $0.rate == 1 && $0.position > place + .seconds(0.6) }
        probe.forget()
        try await expectSync(probe, screen, sink, count: 3, "after other rates")
        await harness.stop()
    }
}
