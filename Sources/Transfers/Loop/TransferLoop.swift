// SPDX-License-Identifier: Apache-2.0

package import Bindings
internal import EngineRuntime

/// Where a transfer delivers and reports. Called on the thread of the transfers, which it must not block.
package protocol TransferClient: TransferReceiver {
    /// Whether the address that was connected may be asked. Nothing has been sent to it yet.
    func admits(_ address: String, port: Int) -> Bool

    /// Nothing has come for a while; the transfer goes on.
    func grewQuiet()

    /// The transfer has ended. The last call.
    func ended(_ report: TransferReport)
}

/// How a transfer ended: what was tried, and what came back.
package struct TransferReport: Hashable, Sendable, CustomStringConvertible {
    /// Without user name, password and query.
    package let tried: String
    package let end: TransferEnd
    package let facts: TransferFacts

    package init(tried: String, end: TransferEnd, facts: TransferFacts) {
        self.tried = tried
        self.end = end
        self.facts = facts
    }

    package var description: String {
        let status = facts.head.map { "HTTP status \($0.status), \(facts.byteCount) bytes" } ?? "no response"
        let reason =
            switch end {
            case .complete: "complete"
            case .cancelled: "cancelled"
            case .declined: "not wanted"
            case .tooLong: "longer than its limit"
            case .refusedAddress(let address): "address \(address) is not allowed"
            case .stalled: "no data"
            case .tooSlow: "too little data"
            case .failed(let error): error.description
            }
        return "\(tried): \(status), \(reason)"
    }
}

/// All HTTP transfers of the engine, on one thread.
///
/// Thread-safety: safe. What is started is reported exactly once, by `ended`; when the loop is released, as `cancelled`.
package final class TransferLoop: Sendable {
    /// Names a transfer until its end.
    package struct ID: Hashable, Sendable {
        fileprivate let number: UInt64
    }

    private let desk: Locked<Desk>
    private let bell: CurlMulti.Bell

    package init() {
        let thread = TransferThread()
        desk = thread.desk
        bell = thread.bell
        // Ends when this value is released.
        Task { await thread.run() }
    }

    deinit {
        desk.withLock { $0.isClosed = true }
        bell.ring()
    }

    /// Starts a transfer, after a pause if one is given, and once its origin has room.
    ///
    /// - Parameter isUrgent: goes before others that wait for room, because somebody waits for its bytes.
    package func start(
        _ request: TransferRequest,
        patience: TransferPatience = TransferPatience(),
        after pause: Duration = .zero,
        isUrgent: Bool = true,
        for client: any TransferClient
    ) -> ID {
        let due = monotonicNanoseconds() + Int64(pause / .nanoseconds(1))
        let id = desk.withLock { desk in
            desk.lastID += 1
            let order = TransferOrder(
                id: desk.lastID,
                request: request,
                patience: patience,
                isUrgent: isUrgent,
                due: due,
                client: client
            )
            desk.incoming.append(.start(order))
            return desk.lastID
        }
        bell.ring()
        return ID(number: id)
    }

    /// Ends a transfer soon, whether it waits or runs. Bytes may still come before its end is reported, and it may end for
    /// another reason. Does nothing if it has ended.
    package func cancel(_ id: ID) {
        desk.withLock { $0.incoming.append(.cancel(id.number)) }
        bell.ring()
    }

    /// Starts what waits for its pause to end, because the reason for waiting is gone.
    package func hurry(_ id: ID) {
        desk.withLock { $0.incoming.append(.hurry(id.number)) }
        bell.ring()
    }
}

/// What is handed from the callers to the thread.
private struct Desk {
    enum Entry {
        case start(TransferOrder)
        case cancel(UInt64)
        case hurry(UInt64)
    }

    var lastID: UInt64 = 0
    var incoming: [Entry] = []
    var isClosed = false
}

private struct TransferOrder: Sendable {
    let id: UInt64
    let request: TransferRequest
    let patience: TransferPatience
    let isUrgent: Bool
    var due: Int64
    let client: any TransferClient

    func end(_ end: TransferEnd, _ facts: TransferFacts = TransferFacts()) {
        client.ended(TransferReport(tried: request.description, end: end, facts: facts))
    }
}

/// The thread of the transfers. Waits only for the network and for `bell`.
private actor TransferThread {
    /// How long it waits when nothing is due, in nanoseconds.
    private static let longestWait: Int64 = 60_000_000_000

    private nonisolated let executor = ThreadExecutor(name: "transfers")
    nonisolated let desk = Locked(Desk())
    nonisolated let bell: CurlMulti.Bell
    private var multi: CurlMulti
    private var budget = OriginBudget()
    /// What waits for its time.
    private var waiting: [UInt64: TransferOrder] = [:]
    /// What waits for room at its origin.
    private var queued: [UInt64: TransferOrder] = [:]
    private var running: [UInt64: (order: TransferOrder, watch: StallWatch?)] = [:]

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    init() {
        let multi = CurlMulti()
        bell = multi.bell
        self.multi = multi
    }

    func run() {
        while takeOrders() {
            startWhatIsDue()
            for (id, end, facts) in multi.perform() { finish(id, end, facts) }
            let next = watchOver()
            multi.wait(atMost: .nanoseconds(max(0, next - monotonicNanoseconds())))
        }
        for order in Array(waiting.values) + Array(queued.values) { order.end(.cancelled) }
        queued = [:]
        for id in Array(running.keys) { stop(id, .cancelled) }
    }

    /// - Returns: whether the loop goes on.
    private func takeOrders() -> Bool {
        let (entries, isClosed) = desk.withLock { desk in
            defer { desk.incoming.removeAll() }
            return (desk.incoming, desk.isClosed)
        }
        for entry in entries {
            switch entry {
            case .start(let order): waiting[order.id] = order
            case .cancel(let id):
                waiting.removeValue(forKey: id)?.end(.cancelled)
                if let order = queued.removeValue(forKey: id) {
                    budget.withdraw(id, from: order.request.url.origin)
                    order.end(.cancelled)
                }
                stop(id, .cancelled)
            case .hurry(let id): waiting[id]?.due = 0
            }
        }
        return !isClosed
    }

    private func stop(_ id: UInt64, _ end: TransferEnd) {
        if let facts = multi.cancel(id) { finish(id, end, facts) }
    }

    /// Reports what is no longer with libcurl, and gives its place to the next.
    private func finish(_ id: UInt64, _ end: TransferEnd, _ facts: TransferFacts) {
        guard let order = running.removeValue(forKey: id)?.order else { return }
        let origin = order.request.url.origin
        let now = monotonicNanoseconds()
        if let status = facts.head?.status, [429, 503, 509].contains(status) { budget.refused(by: origin, now: now) }
        for next in budget.release(at: origin, now: now) {
            if let order = queued.removeValue(forKey: next) { launch(order) }
        }
        order.end(end, facts)
    }

    private func launch(_ order: TransferOrder) {
        running[order.id] = (order, nil)
        let client = order.client
        multi.start(order.request, id: order.id, receiver: client) { client.admits($0, port: $1) }
    }

    private func startWhatIsDue() {
        let now = monotonicNanoseconds()
        for order in waiting.values.filter({ $0.due <= now }).sorted(by: { $0.id < $1.id }) {
            waiting[order.id] = nil
            if budget.ask(order.id, at: order.request.url.origin, isUrgent: order.isUrgent) {
                launch(order)
            } else {
                queued[order.id] = order
            }
        }
    }

    /// Ends what has stalled.
    ///
    /// - Returns: when to look again.
    private func watchOver() -> Int64 {
        let now = monotonicNanoseconds()
        var next = now + Self.longestWait
        for id in Array(running.keys) where multi.isConnected(id) {
            guard let (order, known) = running[id], let byteCount = multi.byteCount(of: id) else { continue }
            var watch = known ?? StallWatch(order.patience, now: now)
            let finding = watch.look(byteCount: byteCount, now: now)
            running[id]?.watch = watch
            switch finding {
            case .fine: break
            case .quiet: order.client.grewQuiet()
            case .stalled: stop(id, .stalled)
            case .tooSlow: stop(id, .tooSlow)
            }
            next = min(next, watch.nextLook)
        }
        return waiting.values.reduce(next) { min($0, $1.due) }
    }
}
