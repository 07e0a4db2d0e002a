// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import engined_mpris

@Suite(.timeLimit(.minutes(10)))
struct PlayerModelTests {
    @Test("Without a session the status is Stopped, no action is available, and there is no track")
    func none() {
        let values = PlayerModel().properties.values
        #expect(values["PlaybackStatus"] == .string("Stopped"))
        #expect(values["Metadata"] == .dictionary(["mpris:trackid": .objectPath(MPRIS.noTrack)]))
        for name in ["CanGoNext", "CanGoPrevious", "CanPlay", "CanPause", "CanSeek"] {
            #expect(values[name] == .boolean(false), "\(name)")
        }
    }

    @Test(
        "Each phase has its playback status",
        arguments: [
            (Phase.idle, "Stopped"), (.opening, "Stopped"), (.ready, "Paused"), (.play, "Playing"),
            (.playing, "Playing"),
            (.pausing, "Paused"), (.paused, "Paused"), (.buffering, "Playing"), (.seeking, "Paused"),
            (.ended, "Stopped"),
            (.stopping, "Stopped"), (.error(EngineError(.internal, "")), "Stopped"),
        ]
    )
    func phases(phase: Phase, status: String) {
        #expect(TestSession(phase).model.properties.values["PlaybackStatus"] == .string(status))
    }

    @Test("A seek does not change the status")
    func seekingStatus() {
        var session = TestSession()
        var model = session.model
        _ = model.apply(session.play(from: .zero, now: 0), now: 0)
        #expect(model.apply(session.change { $0.phase = .seeking }, now: 0).isEmpty)
        #expect(model.properties.status == .playing)
    }

    @Test("Exactly the changed properties are signalled, once")
    func changes() {
        var session = TestSession()
        var model = session.model
        let louder = session.change { $0.volume = 0.5 }
        #expect(model.apply(louder, now: 1) == [.changed(["Volume": .double(0.5)])])
        #expect(model.apply(louder, now: 2).isEmpty, "an old revision changes nothing")
        let looping = session.change { $0.isLooping = true }
        #expect(model.adopt(session.state, now: 3) == [.changed(["LoopStatus": .string("Track")])])
        #expect(model.apply(looping, now: 4).isEmpty, "the command's response has already reported it")
        #expect(model.apply(session.change { $0.isMuted = true }, now: 5) == [.changed(["Volume": .double(0)])])
        #expect(
            model.apply(session.change { $0.rateRange = 0.5...4 }, now: 6) == [
                .changed(["MinimumRate": .double(0.5), "MaximumRate": .double(4)])
            ]
        )
        #expect(model.apply(session.change { $0.statistics.stalls = 1 }, now: 7).isEmpty)
    }

    @Test("The passing of time is not signalled, but the position is current when it is read")
    func position() {
        var session = TestSession()
        var model = session.model
        let playing = session.play(from: .seconds(10), now: 0)
        #expect(model.apply(playing, now: 0).first == .changed(["PlaybackStatus": .string("Playing")]))
        let time = TimeEvent(
            session: session.state.id,
            revision: session.state.revision,
            position: .seconds(12),
            rate: 1,
            monotonicNanoseconds: 2 * TestSession.second
        )
        #expect(model.apply(.time(time), now: 2 * TestSession.second).isEmpty)
        #expect(model.position(at: 5 * TestSession.second) == .seconds(15))
        #expect(model.position(at: 500 * TestSession.second) == .seconds(100), "not beyond the end")
    }

    @Test("When the session or the engine ends, all properties return to their defaults")
    func ends() {
        var session = TestSession()
        for end in [WatchEvent.closed(session.state.id, nil), nil] {
            var model = session.model
            _ = model.apply(session.play(from: .zero, now: 0), now: 0)
            let before = model.properties
            let signals = end.map { model.apply($0, now: 1) } ?? model.disconnect(now: 1)
            #expect(signals == [.changed(PlayerProperties().changes(since: before))])
            #expect(model.properties == PlayerProperties())
        }
        var model = session.model
        #expect(model.apply(.closed(SessionID(rawValue: "other"), nil), now: 1).isEmpty)
    }

    @Test("With chapters, CanGoNext and CanGoPrevious depend on the position")
    func chapters() {
        #expect(TestSession(at: .seconds(60)).model.properties.canGoPrevious)
        #expect(!TestSession(at: .seconds(60)).model.properties.canGoNext)
        #expect(TestSession(at: .seconds(10)).model.properties.canGoNext)
        var session = TestSession()
        session.state.media?.chapters = []
        #expect(!session.model.properties.canGoNext && !session.model.properties.canGoPrevious)
    }
}
