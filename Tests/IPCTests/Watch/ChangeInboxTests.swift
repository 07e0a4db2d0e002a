// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineRuntime
import Testing

@testable import Server
@testable import Wire

@Suite("Changes on their way from the engine's threads to the event loop", .timeLimit(.minutes(10)))
struct ChangeInboxTests {
    private func changed(_ id: String, _ revision: UInt64, _ fields: StateFields) -> EngineChange {
        let anchor = PositionAnchor(position: .zero, rate: 0, monotonicNanoseconds: 0, requestedRate: 1)
        var state = SessionState(id: SessionID(rawValue: id), source: "/a", url: "", position: anchor)
        state.revision = revision
        return .changed(state, fields: fields)
    }

    @Test("consecutive changes of one session become one: the last state, and every group of fields that changed")
    func merging() {
        let inbox = ChangeInbox {}
        for change in [
            changed("a", 1, .phase), changed("a", 2, .settings), changed("b", 1, .phase), changed("a", 3, .position),
            .defaultSession(nil), changed("a", 4, .phase),
        ] { inbox.receive(change) }
        let drained = inbox.drain().map { change in
            if case .changed(let state, let fields) = change {
                "\(state.id.rawValue)\(state.revision) \(fields.rawValue)"
            } else {
                "another"
            }
        }
        let groups = [[.phase, .settings], .phase, .position, .phase] as [StateFields]
        #expect(
            drained == [
                "a2 \(groups[0].rawValue)", "b1 \(groups[1].rawValue)", "a3 \(groups[2].rawValue)", "another",
                "a4 \(groups[3].rawValue)",
            ]
        )
    }

    @Test("the event loop is visited once between two drains, and not after `stop`")
    func visits() {
        let visits = Locked(0)
        let inbox = ChangeInbox { visits.withLock { $0 += 1 } }
        for _ in 0..<3 { inbox.receive(.defaultSession(nil)) }
        #expect(visits.withLock { $0 } == 1)
        #expect(inbox.drain().count == 3 && inbox.drain().isEmpty)
        inbox.receive(.defaultSession(nil))
        #expect(visits.withLock { $0 } == 2)
        _ = inbox.drain()
        inbox.stop()
        inbox.receive(.defaultSession(nil))
        #expect(visits.withLock { $0 } == 2 && inbox.drain().isEmpty)
    }
}
