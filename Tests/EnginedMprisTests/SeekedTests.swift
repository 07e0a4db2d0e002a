// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import engined_mpris

@Suite(.timeLimit(.minutes(10)))
struct SeekedTests {
    private func seeked(_ signals: [PlayerSignal]) -> [Int64] {
        signals.compactMap { if case .seeked(let position) = $0 { position } else { nil } }
    }

    @Test("Steady playback sends no Seeked signal")
    func steady() {
        var session = TestSession()
        var model = session.model
        #expect(seeked(model.apply(session.play(from: .zero, now: 0), now: 0)).isEmpty)
        // A renderer's clock, 40 ms ahead of ours.
        let ahead = session.play(from: .seconds(10.04), now: 10 * TestSession.second)
        #expect(seeked(model.apply(ahead, now: 10 * TestSession.second)).isEmpty)
        let paused = session.change { state in
            state.phase = .paused
            state.position.position = .seconds(20.04)
            state.position.rate = 0
        }
        #expect(seeked(model.apply(paused, now: 20 * TestSession.second)).isEmpty)
    }

    @Test("Small deviations that add up send a Seeked signal")
    func drift() {
        var session = TestSession()
        var model = session.model
        _ = model.apply(session.play(from: .zero, now: 0), now: 0)
        let sent = (1...4).flatMap { step in
            let now = Int64(step) * TestSession.second
            return seeked(model.apply(session.play(from: .seconds(Double(step) * 1.1), now: now), now: now))
        }
        #expect(sent == [3_300_000])
    }

    @Test("A jump sends one Seeked signal, when it has landed")
    func jump() {
        var session = TestSession()
        var model = session.model
        let seeking = session.change { state in
            state.phase = .seeking
            state.position.position = .seconds(30)
        }
        #expect(seeked(model.apply(seeking, now: 0)).isEmpty)
        #expect(seeked(model.apply(session.change { $0.phase = .paused }, now: 0)) == [30_000_000])
        let landed = SeekEvent(id: 1, stage: .landed, target: .seconds(30))
        #expect(model.apply(.seek(session.state.id, landed), now: 0).isEmpty)
    }

    @Test("A seek too small to be noticed by its position sends a Seeked signal when it lands")
    func smallSeek() {
        var session = TestSession(at: .seconds(10))
        var model = session.model
        #expect(model.apply(session.change { $0.position.position = .seconds(10.1) }, now: 0).isEmpty)
        for stage in [SeekEvent.Stage.began, .stalled, .superseded, .rejected] {
            let event = SeekEvent(id: 1, stage: stage, target: .seconds(10.1))
            #expect(model.apply(.seek(session.state.id, event), now: 0).isEmpty)
        }
        let landed = SeekEvent(id: 1, stage: .landed, target: .seconds(10.1))
        #expect(model.apply(.batch([.seek(session.state.id, landed)]), now: 0) == [.seeked(10_100_000)])
        #expect(model.apply(.seek(SessionID(rawValue: "x"), landed), now: 0).isEmpty)
    }

    @Test("After buffering, a Seeked signal corrects clients that assumed playback continued")
    func buffering() {
        var session = TestSession()
        var model = session.model
        _ = model.apply(session.play(from: .zero, now: 0), now: 0)
        let waiting = session.change { state in
            state.phase = .buffering
            state.position.position = .seconds(5)
            state.position.rate = 0
        }
        #expect(model.apply(waiting, now: 5 * TestSession.second).isEmpty)
        let going = session.play(from: .seconds(5), now: 8 * TestSession.second)
        #expect(model.apply(going, now: 8 * TestSession.second) == [.seeked(5_000_000)])
    }

    @Test("Another source sends a Seeked signal only if it does not start at 0")
    func anotherTrack() {
        var session = TestSession(at: .seconds(10))
        var model = session.model
        let other = session.change { state in
            state.source = "/films/other.mkv"
            state.position.position = .zero
        }
        #expect(seeked(model.apply(other, now: 0)).isEmpty)
        var resumed = TestSession(at: .seconds(40))
        resumed.state.id = SessionID(rawValue: "s-2")
        #expect(seeked(model.apply(.snapshot(resumed.state), now: 0)) == [40_000_000])
    }
}
