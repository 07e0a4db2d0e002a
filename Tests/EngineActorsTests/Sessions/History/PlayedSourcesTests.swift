// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Sessions

@Suite("How far sources were played")
struct PlayedSourcesTests {
    /// Holds the value in a class, because expectations cannot mutate a value.
    private final class Played {
        private var sources = PlayedSources()

        var isPlaying: Bool { sources.isPlaying }

        func note(_ state: SessionState) -> Bool { sources.note(state) }
        func close(_ session: SessionID, at now: Int64) -> Bool { sources.close(session, at: now) }
        func take(at now: Int64) -> [PlayedSources.Progress] { sources.take(at: now) }
        func putBack(_ unwritten: [PlayedSources.Progress]) { sources.putBack(unwritten) }
    }

    private let second: Int64 = 1_000_000_000
    private let id = SessionID(rawValue: "1")

    private func state(
        _ phase: Phase,
        _ position: Double,
        rate: Double = 0,
        at now: Int64 = 0,
        url: String = "a"
    ) -> SessionState {
        let anchor = PositionAnchor(
            position: .seconds(position),
            rate: rate,
            monotonicNanoseconds: now,
            requestedRate: 1
        )
        var state = SessionState(id: id, source: "/films/a.mkv", url: url, position: anchor)
        (state.phase, state.duration) = (phase, .seconds(60))
        return state
    }

    private func progress(_ position: Double, isFinished: Bool = false) -> PlayedSources.Progress {
        .init(source: "/films/a.mkv", position: .seconds(position), duration: .seconds(60), isFinished: isFinished)
    }

    @Test("a source that is loaded and moved by a seek, but not played, keeps its earlier position")
    func loaded() {
        let played = Played()
        #expect(!played.note(state(.opening, 0)))
        #expect(!played.note(state(.ready, 0)))
        #expect(!played.note(state(.paused, 20)))
        #expect(played.take(at: second).isEmpty)
        #expect(!played.close(id, at: second))
        #expect(played.take(at: second).isEmpty)
    }

    @Test("a live source has no position that could be resumed later")
    func live() {
        let played = Played()
        var state = state(.playing, 10, rate: 1)
        let latency = MediaTime.seconds(2)
        state.live = LiveState(
            edge: .seconds(12),
            monotonicNanoseconds: 0,
            latency: latency,
            targetLatency: latency
        )
        _ = played.note(state)
        #expect(played.take(at: 5 * second).isEmpty)
        _ = played.close(id, at: 6 * second)
        #expect(played.take(at: 7 * second).isEmpty)
    }

    @Test("a moving playhead is recorded at its current position, and an unchanged position is not recorded again")
    func playing() {
        let played = Played()
        #expect(!played.note(state(.opening, 10)))
        #expect(played.note(state(.playing, 10, rate: 1)))
        #expect(played.isPlaying)
        #expect(played.take(at: 5 * second) == [progress(15)])
        #expect(!played.note(state(.playing, 16, rate: 1, at: 6 * second)), "nothing has begun or stopped")
        #expect(played.note(state(.paused, 17, at: 7 * second)))
        #expect(!played.isPlaying)
        #expect(played.take(at: 60 * second) == [progress(17)])
        #expect(played.take(at: 70 * second).isEmpty)
    }

    @Test(
        "a source that was played to its end is recorded as finished, at position 0",
        arguments: [
            (Phase.ended, 60.0, true), (.paused, 59.5, true), (.paused, 58, false),
            (.error(EngineError(.internal, "x")), 30, false),
        ]
    )
    func finished(phase: Phase, position: Double, isFinished: Bool) {
        let played = Played()
        _ = played.note(state(.playing, 1, rate: 1))
        #expect(played.note(state(phase, position)))
        #expect(played.take(at: second) == [progress(isFinished ? 0 : position, isFinished: isFinished)])
    }

    @Test("a source that is stopped or replaced is recorded at its last position")
    func left() {
        let played = Played()
        _ = played.note(state(.playing, 10, rate: 1))
        #expect(!played.note(state(.playing, 10, rate: 1, url: "a?audio-delay=10")), "it is the same load")
        #expect(played.note(state(.opening, 0, at: 2 * second, url: "b")))
        #expect(played.take(at: 9 * second) == [progress(12)])
        _ = played.note(state(.playing, 3, rate: 1, at: 10 * second, url: "b"))
        #expect(played.close(id, at: 11 * second))
        #expect(played.take(at: 20 * second) == [progress(4)])
    }

    @Test("of progress that could not be written, the latest of each source is returned again")
    func unwritten() {
        let played = Played()
        _ = played.note(state(.playing, 10, rate: 1))
        played.putBack(played.take(at: 2 * second))
        #expect(played.take(at: 3 * second) == [progress(12), progress(13)])
        played.putBack([progress(12), progress(13)])
        _ = played.close(id, at: 4 * second)
        #expect(played.take(at: 9 * second) == [progress(13), progress(14)])
        #expect(played.take(at: 9 * second).isEmpty)
    }
}
