// SPDX-License-Identifier: Apache-2.0

package import Bindings
internal import EngineRuntime

/// Carries the requests of sources on a thread of its own.
///
/// Thread-safety: safe. Each started transfer calls `ended` exactly once; transfers still running when the carrier is
/// released end as `cancelled`.
package protocol TransferCarrier: AnyObject, Sendable {
    var inbox: TransferInbox { get }
}

extension TransferCarrier {
    /// Starts a transfer after `pause`, as soon as its turn comes.
    ///
    /// - Parameter isUrgent: whether a reader waits for the bytes; urgent transfers are queued before others to the
    ///   same origin.
    package func start(
        _ request: TransferRequest,
        stallLimits: StallLimits = StallLimits(),
        after pause: Duration = .zero,
        isUrgent: Bool = true,
        for client: any TransferClient
    ) -> TransferLoop.ID {
        let due = monotonicNanoseconds() + Int64(pause / .nanoseconds(1))
        return inbox.start { id in
            TransferJob(
                id: id,
                request: request,
                stallLimits: stallLimits,
                isUrgent: isUrgent,
                due: due,
                client: client
            )
        }
    }

    /// Cancels a waiting or running transfer, asynchronously: bytes may still be delivered before `ended`, and the
    /// transfer may end for another reason. Does nothing if it has ended.
    package func cancel(_ id: TransferLoop.ID) { inbox.add(.cancel(id.number)) }

    /// Resumes a transfer whose client had no room. The pause counts neither as a silence nor as low speed.
    package func resume(_ id: TransferLoop.ID) { inbox.add(.resume(id.number)) }

    /// Replaces the stall limits of a running transfer.
    package func limit(_ id: TransferLoop.ID, by stallLimits: StallLimits) { inbox.add(.limit(id.number, stallLimits)) }

    /// Ends the pause of a transfer that has not started yet.
    package func startNow(_ id: TransferLoop.ID) { inbox.add(.startNow(id.number)) }
}

/// Commands from callers to the thread of a carrier.
///
/// Thread-safety: safe.
package final class TransferInbox: Sendable {
    enum Command {
        case start(TransferJob)
        case cancel(UInt64)
        case startNow(UInt64)
        case resume(UInt64)
        case limit(UInt64, StallLimits)
    }

    private struct State {
        var lastID: UInt64 = 0
        var commands: [Command] = []
        var isClosed = false
    }

    private let state = Locked(State())
    private let wake: @Sendable () -> Void

    /// - Parameter wake: ends the wait of the thread.
    init(_ wake: @escaping @Sendable () -> Void) { self.wake = wake }

    fileprivate func start(_ job: (UInt64) -> TransferJob) -> TransferLoop.ID {
        let id = state.withLock { state in
            state.lastID += 1
            state.commands.append(.start(job(state.lastID)))
            return state.lastID
        }
        wake()
        return TransferLoop.ID(number: id)
    }

    fileprivate func add(_ command: Command) {
        state.withLock { $0.commands.append(command) }
        wake()
    }

    /// Call when the carrier is released.
    func close() {
        state.withLock { $0.isClosed = true }
        wake()
    }

    /// The commands since the last call, and whether the carrier was released.
    func take() -> (commands: [Command], isClosed: Bool) {
        state.withLock { state in
            defer { state.commands.removeAll() }
            return (state.commands, state.isClosed)
        }
    }
}

/// A transfer that a caller has requested.
struct TransferJob: Sendable {
    let id: UInt64
    let request: TransferRequest
    var stallLimits: StallLimits
    let isUrgent: Bool
    var due: Int64
    let client: any TransferClient
    /// `TransferClient.isEndless`. `nil` before the answer.
    var isEndless: Bool?
    /// When the transfer was given to libcurl, in nanoseconds of CLOCK_MONOTONIC; 0 before.
    var launchTime: Int64 = 0
    /// Whether its client has been told that the transfer waits in the queue of its origin.
    var isKnownToWait = false
    /// How often the transfer has been restarted because the server did not serve its connection.
    var restarts = 0

    func end(_ end: TransferEnd, _ facts: TransferFacts = TransferFacts()) {
        client.ended(TransferReport(request: request.description, end: end, facts: facts))
    }
}
