// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import engined_mpris

@Suite(.timeLimit(.minutes(10)))
struct StoppingTests {
    private let stopped = [PlayerSignal.changed(["PlaybackStatus": .string("Stopped")])]

    /// A session that plays from 30 s on, and a model that has received its state.
    private func playing() -> (TestSession, PlayerModel) {
        var session = TestSession(at: .seconds(30))
        var model = session.model
        _ = model.apply(session.play(from: .seconds(30), now: 0), now: 0)
        return (session, model)
    }

    @Test("Stop is signalled immediately and only once, and the status stays Stopped until playback starts again")
    func life() {
        var (session, model) = playing()
        #expect(model.stop(now: 0) == stopped)
        let louder = session.change { $0.volume = 0.5 }
        #expect(model.apply(louder, now: 1) == [.changed(["Volume": .double(0.5)])], "it has not paused yet")
        let pause = session.change { state in
            state.phase = .paused
            state.position.rate = 0
        }
        #expect(model.apply(pause, now: 2).isEmpty)
        let seek = session.change { state in
            state.position.position = .zero
        }
        #expect(model.apply(seek, now: 3).contains(.seeked(0)))
        #expect(model.stopped(now: 4).isEmpty)
        #expect(model.properties.status == .stopped)
        #expect(model.properties.canPlay && model.properties.canSeek)
        _ = model.apply(session.change { $0.phase = .seeking }, now: 5)
        _ = model.apply(session.change { $0.phase = .paused }, now: 6)
        #expect(model.properties.status == .stopped, "a seek does not start playback")
        #expect(
            model.apply(session.play(from: .zero, now: 7), now: 7) == [.changed(["PlaybackStatus": .string("Playing")])]
        )
        _ = model.apply(session.change { $0.phase = .paused }, now: 8)
        #expect(model.properties.status == .paused, "it has played since")
    }

    @Test("If the session still plays after the commands, the status returns to Playing")
    func overtaken() {
        var (_, model) = playing()
        _ = model.stop(now: 0)
        #expect(model.stopped(now: 1) == [.changed(["PlaybackStatus": .string("Playing")])])
    }

    @Test("Another source, or the loss of the engine, ends the Stopped status")
    func elsewhere() {
        var (session, model) = playing()
        _ = model.stop(now: 0)
        _ = model.apply(
            session.change { state in
                state.phase = .paused
                state.source = "/films/other.mkv"
            },
            now: 1
        )
        #expect(model.properties.status == .paused)
        _ = model.stop(now: 2)
        _ = model.disconnect(now: 3)
        _ = model.apply(.snapshot(session.state), now: 4)
        #expect(model.properties.status == .paused)
    }

    @Test("Stop pauses and seeks to the beginning")
    func commands() {
        #expect(Stopping.commands == [.pause, .seek(SeekCommand(.begin, thenPlay: false))])
    }
}
