// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import EngineRuntime

/// Carries commands for a renderer from the engine to the event loop.
///
/// Thread-safety: safe. It keeps the latest command of each kind (`RendererInbox`) until `next` returns it, and calls
/// `visit` at most once between two calls of `next`.
final class RendererMailbox: CommandReceiver {
    /// The result of `next`.
    enum Content {
        case command(RendererCommand)
        /// All commands have been read, and the engine sends no more.
        case end(EngineError?)
        case nothing
    }

    private struct State {
        var inbox = RendererInbox()
        var end: EngineError??
        var isVisitDue = false
    }

    private let state = Locked(State())
    private let visit: @Sendable () -> Void

    init(visit: @escaping @Sendable () -> Void) { self.visit = visit }

    func receive(_ command: RendererCommand) {
        change { $0.inbox.add(command) }
    }

    func end(_ error: EngineError?) {
        change { $0.end = .some(error) }
    }

    func next() -> Content {
        state.withLock { state in
            state.isVisitDue = false
            if let command = state.inbox.next() { return .command(command) }
            return state.end.map { .end($0) } ?? .nothing
        }
    }

    private func change(_ body: (inout State) -> Void) {
        let isFirst = state.withLock { state in
            body(&state)
            defer { state.isVisitDue = true }
            return !state.isVisitDue
        }
        if isFirst { visit() }
    }
}
