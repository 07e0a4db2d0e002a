// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineTestKit
import Testing

@testable import Decoding

@Suite("Audio and video in sync", .timeLimit(.minutes(10)))
struct SyncTests {
    private let limit = 0.010

    private func theatre(_ frameRate: Double, gate: MediaTime? = nil) async throws -> TestTheatre {
        var script = TestFilm.Script()
        script.frameRate = frameRate
        // Longer than the time limit, so that playback never ends.
        script.video = .seconds(3600)
        script.audio = .seconds(3600)
        script.audioGate = gate
        return TestTheatre(script)
    }

    /// Watches until at least `count` flashes are measured, and more than half of them are shown and near their beeps: on
    /// a busy machine, single frames may be late. Otherwise the suite's time limit ends the wait.
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

    @Test("a flash and its beep are at most 10 ms apart, at every frame rate", arguments: [24.0, 25, 30, 60])
    func frameRates(rate: Double) async throws {
        let (theatre, screen, probe) = (try await theatre(rate), TestScreen(), SyncProbe())
        let sink = NullAudioSink { probe.hear($0, $1, $2) }
        _ = await theatre.renderer.attach(screen)
        _ = await theatre.renderer.attach(sink)
        theatre.send(.load(url: "film", position: .zero), .play)
        try await expectSync(probe, screen, sink, count: 4, "\(Int(rate)) fps")
        await theatre.stop()
    }

    @Test("in sync after 50 seeks")
    func seeks() async throws {
        let (theatre, screen, probe) = (try await theatre(25), TestScreen(), SyncProbe())
        let sink = NullAudioSink { probe.hear($0, $1, $2) }
        _ = await theatre.renderer.attach(screen)
        _ = await theatre.renderer.attach(sink)
        theatre.send(.load(url: "film", position: .zero), .play)
        var random = SplitMix(state: 6)
        for id in 1...50 {
            let target = Double.random(in: 0..<100, using: &random)
            theatre.send(.seek(id: UInt64(id), position: .seconds(target)))
            if id.isMultiple(of: 5) { try await theatre.report { $0.seekID == UInt64(id) } }
        }
        try await theatre.report { $0.seekID == 50 && $0.rate == 1 }
        probe.forget()
        try await expectSync(probe, screen, sink, count: 4, "after 50 seeks")
        await theatre.stop()
    }

    @Test("in sync after pauses")
    func pauses() async throws {
        let (theatre, screen, probe) = (try await theatre(30), TestScreen(), SyncProbe())
        let sink = NullAudioSink { probe.hear($0, $1, $2) }
        _ = await theatre.renderer.attach(screen)
        _ = await theatre.renderer.attach(sink)
        theatre.send(.load(url: "film", position: .zero), .play)
        for _ in 0..<3 {
            let count = probe.offsets.count
            try await probe.watch(screen, sink) { $0.count > count }
            theatre.send(.pause)
            try await eventually { theatre.reports.last?.rate == 0 }
            theatre.send(.play)
            try await eventually { theatre.reports.last?.rate == 1 }
        }
        try await expectSync(probe, screen, sink, count: 4, "after pauses")
        await theatre.stop()
    }

    @Test("in sync after an underrun")
    func underrun() async throws {
        let (theatre, screen, probe) = (try await theatre(24, gate: .seconds(2)), TestScreen(), SyncProbe())
        let sink = NullAudioSink { probe.hear($0, $1, $2) }
        _ = await theatre.renderer.attach(screen)
        _ = await theatre.renderer.attach(sink)
        theatre.send(.load(url: "film", position: .zero), .play)
        try await theatre.report { $0.isBuffering && $0.position > .zero }
        theatre.film.release()
        try await expectSync(probe, screen, sink, count: 3, "after an underrun")
        await theatre.stop()
    }

    @Test("in sync after changes of rate")
    func rates() async throws {
        let (theatre, screen, probe) = (try await theatre(25), TestScreen(), SyncProbe())
        let sink = NullAudioSink { probe.hear($0, $1, $2) }
        _ = await theatre.renderer.attach(screen)
        _ = await theatre.renderer.attach(sink)
        theatre.send(.load(url: "film", position: .zero), .play, .rate(1.5))
        try await theatre.report { $0.rate == 1.5 && $0.position > .seconds(2) }
        theatre.send(.rate(0.75))
        try await theatre.report { $0.rate == 0.75 }
        theatre.send(.rate(1))
        try await eventually { theatre.reports.last?.rate == 1 }
        // Until the sink has played what the tempo filter gave it.
        let (count, place) = (theatre.reports.count, try #require(theatre.reports.last?.position))
        try await theatre.report(after: count) { $0.rate == 1 && $0.position > place + .seconds(0.6) }
        probe.forget()
        try await expectSync(probe, screen, sink, count: 3, "after other rates")
        await theatre.stop()
    }
}
