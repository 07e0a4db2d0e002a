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
        var film = Film()
        var model = film.model
        #expect(seeked(model.apply(film.play(from: .zero, now: 0), now: 0)).isEmpty)
        // A renderer's clock, 40 ms ahead of ours.
        let ahead = film.play(from: .seconds(10.04), now: 10 * Film.second)
        #expect(seeked(model.apply(ahead, now: 10 * Film.second)).isEmpty)
        let paused = film.change { state in
            state.phase = .paused
            state.position.position = .seconds(20.04)
            state.position.rate = 0
        }
        #expect(seeked(model.apply(paused, now: 20 * Film.second)).isEmpty)
    }

    @Test("Small deviations that add up send a Seeked signal")
    func drift() {
        var film = Film()
        var model = film.model
        _ = model.apply(film.play(from: .zero, now: 0), now: 0)
        let sent = (1...4).flatMap { step in
            let now = Int64(step) * Film.second
            return seeked(model.apply(film.play(from: .seconds(Double(step) * 1.1), now: now), now: now))
        }
        #expect(sent == [3_300_000])
    }

    @Test("A jump sends one Seeked signal, when it has landed")
    func jump() {
        var film = Film()
        var model = film.model
        let seeking = film.change { state in
            state.phase = .seeking
            state.position.position = .seconds(30)
        }
        #expect(seeked(model.apply(seeking, now: 0)).isEmpty)
        #expect(seeked(model.apply(film.change { $0.phase = .paused }, now: 0)) == [30_000_000])
        let landed = SeekEvent(id: 1, stage: .landed, target: .seconds(30))
        #expect(model.apply(.seek(film.state.id, landed), now: 0).isEmpty)
    }

    @Test("A seek too small to be noticed by its position sends a Seeked signal when it lands")
    func smallSeek() {
        var film = Film(at: .seconds(10))
        var model = film.model
        #expect(model.apply(film.change { $0.position.position = .seconds(10.1) }, now: 0).isEmpty)
        for stage in [SeekEvent.Stage.began, .stalled, .superseded, .rejected] {
            let event = SeekEvent(id: 1, stage: stage, target: .seconds(10.1))
            #expect(model.apply(.seek(film.state.id, event), now: 0).isEmpty)
        }
        let landed = SeekEvent(id: 1, stage: .landed, target: .seconds(10.1))
        #expect(model.apply(.batch([.seek(film.state.id, landed)]), now: 0) == [.seeked(10_100_000)])
        #expect(model.apply(.seek(SessionID(rawValue: "x"), landed), now: 0).isEmpty)
    }

    @Test("After buffering, a Seeked signal corrects clients that assumed playback continued")
    func buffering() {
        var film = Film()
        var model = film.model
        _ = model.apply(film.play(from: .zero, now: 0), now: 0)
        let waiting = film.change { state in
            state.phase = .buffering
            state.position.position = .seconds(5)
            state.position.rate = 0
        }
        #expect(model.apply(waiting, now: 5 * Film.second).isEmpty)
        let going = film.play(from: .seconds(5), now: 8 * Film.second)
        #expect(model.apply(going, now: 8 * Film.second) == [.seeked(5_000_000)])
    }

    @Test("Another source sends a Seeked signal only if it does not start at 0")
    func anotherTrack() {
        var film = Film(at: .seconds(10))
        var model = film.model
        let other = film.change { state in
            state.source = "/films/other.mkv"
            state.position.position = .zero
        }
        #expect(seeked(model.apply(other, now: 0)).isEmpty)
        var resumed = Film(at: .seconds(40))
        resumed.state.id = SessionID(rawValue: "s-2")
        #expect(seeked(model.apply(.snapshot(resumed.state), now: 0)) == [40_000_000])
    }
}
