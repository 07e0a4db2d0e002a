// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineRuntime
import Testing

@testable import Sessions

@Suite("What a session publishes")
struct EventHubTests {
    private typealias Channel = EventHub.Channel

    /// Notes what it receives, as text.
    private final class Listener: EngineObserver {
        private let log = Locked<[String]>([])

        func receive(_ change: EngineChange) {
            let line =
                switch change {
                case .changed(let state, _): "\(state.id.rawValue) \(state.source) \(state.revision)"
                case .noticed(let id, let notice): "\(id.rawValue) \(notice.code)"
                case .closed(let id, _): "\(id.rawValue) closed"
                case .defaultSession(let id): "default \(id?.rawValue ?? "none")"
                case .seeked, .cued: "other"
                }
            log.withLock { $0.append(line) }
        }

        /// The changes received since the last call.
        func take() -> [String] {
            log.withLock { log in
                defer { log = [] }
                return log
            }
        }
    }

    private let hub = EventHub()
    private let listener = Listener()

    private func open(_ id: String, _ channel: Channel) {
        let still = PositionAnchor(position: .zero, rate: 0, monotonicNanoseconds: 0, requestedRate: 1)
        let id = SessionID(rawValue: id)
        hub.open(SessionState(id: id, source: "first", url: "", position: still), channel)
    }

    private func publish(_ id: String, from channel: Channel, source: String) {
        hub.update(SessionID(rawValue: id), from: channel) { $0.source = source }
        hub.notice(SessionID(rawValue: id), from: channel, Notice(.info, "of.\(source)", ""))
    }

    @Test("Changes that the old source publishes after another was loaded into the session are dropped")
    func reopening() {
        let (old, new) = (Channel(), Channel())
        open("a", old)
        hub.add(listener)
        publish("a", from: old, source: "begun")
        _ = listener.take()
        hub.reopen(SessionID(rawValue: "a"), new) { $0.source = "second" }
        #expect(listener.take() == ["a second 3"])
        publish("a", from: old, source: "late")
        #expect(listener.take() == [])
        publish("a", from: new, source: "third")
        #expect(listener.take() == ["a third 4", "a of.third"])
    }

    @Test("A source publishes only in its own session, and nothing once that session is closed")
    func channels() {
        let (one, other) = (Channel(), Channel())
        open("a", one)
        open("b", other)
        hub.add(listener)
        _ = listener.take()
        publish("b", from: one, source: "foreign")
        #expect(listener.take() == [])
        hub.close(SessionID(rawValue: "a"), because: nil)
        _ = listener.take()
        publish("a", from: one, source: "late")
        #expect(listener.take() == [])
        hub.reopen(SessionID(rawValue: "a"), Channel()) { $0.source = "second" }
        #expect(listener.take() == [], "a closed session is not opened again")
    }

    @Test("A session that another source is loaded into becomes the default")
    func defaults() {
        open("a", Channel())
        open("b", Channel())
        hub.add(listener)
        #expect(listener.take().last == "default b")
        hub.reopen(SessionID(rawValue: "a"), Channel()) { $0.source = "second" }
        #expect(listener.take() == ["a second 2", "default a"])
        hub.close(SessionID(rawValue: "a"), because: nil)
        #expect(listener.take() == ["a closed", "default b"])
    }
}
