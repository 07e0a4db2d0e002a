// SPDX-License-Identifier: Apache-2.0

import EngineModel

@testable import engined_mpris

/// A session of 100 s in two chapters that tests change step by step.
struct TestSession {
    static let second: Int64 = 1_000_000_000

    var state: SessionState

    init(_ phase: Phase = .paused, at position: MediaTime = .zero) {
        let anchor = PositionAnchor(position: position, rate: 0, monotonicNanoseconds: 0, requestedRate: 1)
        state = SessionState(id: SessionID(rawValue: "s-1"), source: "/films/a b.mkv", url: "", position: anchor)
        state.phase = phase
        state.duration = .seconds(100)
        state.seekable = [MediaTimeRange(start: .zero, end: .seconds(100))]
        var media = MediaDescription()
        media.chapters = [
            Chapter(start: .zero, end: .seconds(50), title: "one"),
            Chapter(start: .seconds(50), end: .seconds(100), title: "two"),
        ]
        state.media = media
    }

    /// A model that has received this session's state.
    var model: PlayerModel {
        var model = PlayerModel()
        _ = model.apply(.snapshot(state), now: 0)
        return model
    }

    var track: String { TrackID.path(of: state) }

    /// The delta of a change.
    mutating func change(_ body: (inout SessionState) -> Void) -> WatchEvent {
        let before = state
        body(&state)
        state.revision += 1
        return .delta(StateDelta(fields: state.changes(since: before), state: state))
    }

    mutating func play(from position: MediaTime, now: Int64) -> WatchEvent {
        change { state in
            state.phase = .playing
            state.position.position = position
            state.position.rate = 1
            state.position.monotonicNanoseconds = now
        }
    }
}

extension DBusCall {
    init(_ member: String, _ arguments: DBusValue..., on interface: String? = MPRIS.player) {
        self.init(id: 1, path: MPRIS.objectPath, interface: interface, member: member, arguments: arguments)
    }
}
