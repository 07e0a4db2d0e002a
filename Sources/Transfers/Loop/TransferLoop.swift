// SPDX-License-Identifier: Apache-2.0

package import Bindings
internal import EngineModel
internal import EngineRuntime

/// Receives the bytes and events of a transfer. Called on the transfer thread, which implementations must not block.
package protocol TransferClient: TransferReceiver {
    /// Whether a request may be sent to this peer. Called before a login or a request is sent to it, and for SFTP and
    /// FTP servers again after the login.
    func allows(_ peer: TransferPeer) -> Bool

    /// Whether the transfer lasts as long as its reader needs its bytes, and waits while the reader needs none. Such a
    /// transfer does not count for the limit of its origin, because others would wait for its end in vain. Known once
    /// the server has answered.
    var isEndless: Bool { get }

    /// No bytes were received for a while, or an urgent transfer has waited that long in the queue of its origin. The
    /// transfer continues.
    func wentQuiet()

    /// The transfer has ended. No other call follows.
    func ended(_ report: TransferReport)
}

extension TransferClient {
    package var isEndless: Bool { false }
}

/// The end of a transfer: the request, the response and the reason.
package struct TransferReport: Hashable, Sendable, CustomStringConvertible {
    /// The request as text, without user name, password and query.
    package let request: String
    package let end: TransferEnd
    package let facts: TransferFacts

    package init(request: String, end: TransferEnd, facts: TransferFacts) {
        self.request = request
        self.end = end
        self.facts = facts
    }

    package var description: String {
        if case .refused(let refusal) = end { return "\(request): \(refusal)" }
        let bytes = facts.byteCount > 0 ? "\(facts.byteCount) bytes" : "no response"
        let status = facts.head.map { "HTTP status \($0.status), \(facts.byteCount) bytes" } ?? bytes
        let reason =
            switch end {
            case .complete: "complete"
            case .cancelled: "cancelled"
            case .declined: "ended because no more was needed"
            case .tooLong: "longer than its limit"
            case .refusedAddress(let address): "address \(address) is not allowed"
            case .stalled: "no data"
            case .refused(let refusal): "\(refusal)"
            case .tooSlow: "too little data"
            case .failed(let error): error.description
            }
        return "\(request): \(status), \(reason)"
    }
}

/// Runs all of the engine's transfers from servers on one thread.
///
/// Thread-safety: safe. Each started transfer calls `ended` exactly once; transfers still running when the loop is
/// released end as `cancelled`.
package final class TransferLoop: TransferCarrier {
    /// Identifies a transfer until its end.
    package struct ID: Hashable, Sendable {
        let number: UInt64
    }

    package let inbox: TransferInbox

    /// - Parameter network: called on the transfer thread, which it must not block, when links or routes of this
    ///   machine change; and by this initializer if changes cannot be watched. Transfers that a change may have cut off
    ///   end as `stalled`. If `nil`, changes are not watched.
    package init(network: (@Sendable (NetworkChange) -> Void)? = nil) {
        let thread = TransferThread(network)
        inbox = thread.inbox
        // The task ends when this loop is released.
        Task { await thread.run() }
    }

    deinit { inbox.close() }
}

/// The transfer thread. Waits only in `CurlMulti.wait`, which `waker` ends. It also reads small files from
/// the disk, such as the known hosts of SFTP (`FileExchange`).
private actor TransferThread {
    /// The longest wait when no transfer is due, in nanoseconds.
    private static let longestWait: Int64 = 60_000_000_000
    /// The longest wait while a transfer of FTP over TLS runs, in nanoseconds. libcurl 7.88 sometimes waits for a socket
    /// although it has the response: decrypted, in OpenSSL's buffer.
    private static let secureFTPWait: Int64 = 20_000_000
    /// The maximum number of restarts of a transfer whose connection its server does not serve.
    private static let restartLimit = 5
    /// The pause before the first restart, in nanoseconds; it doubles with each one.
    private static let restartPause: Int64 = 50_000_000

    /// TCP's first retransmission timeout for a SYN, in nanoseconds (RFC 6298 §2); later timeouts double. Younger
    /// connection attempts are not restarted.
    private static let synTimeout: Int64 = 1_000_000_000

    /// A transfer that libcurl has.
    private struct Running {
        var job: TransferJob
        var login = LoginWatch()
        /// `nil` until the transfer is connected.
        var watch: StallWatch?
        var place = Place.counted
    }

    /// Whether a transfer counts for the limit of its origin.
    private enum Place {
        case counted
        /// Its server has sent nothing for a while.
        case silent
        /// It lasts as long as its reader needs its bytes.
        case endless
    }

    private nonisolated let executor = ThreadExecutor(name: "transfers")
    nonisolated let inbox: TransferInbox
    private var multi: CurlMulti
    private var budget = OriginBudget()
    private var connections = ConnectionWatch()
    /// Transfers whose pause has not ended.
    private var waiting: [UInt64: TransferJob] = [:]
    /// Transfers that wait because their origin is at its limit.
    private var queued: [UInt64: TransferJob] = [:]
    private var running: [UInt64: Running] = [:]
    private var network: NetworkMonitor?

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    init(_ network: (@Sendable (NetworkChange) -> Void)?) {
        let multi = CurlMulti()
        inbox = TransferInbox { [waker = multi.waker] in waker.wake() }
        self.multi = multi
        self.network = network.map { NetworkMonitor($0) }
    }

    func run() {
        while takeCommands() {
            startDueJobs()
            for (id, end, facts) in multi.perform() { finish(id, end, facts) }
            releaseEndless()
            let next = checkStalls()
            let time = Duration.nanoseconds(max(0, next - monotonicNanoseconds()))
            if multi.wait(atMost: time, orFor: network?.socket) { followNetwork() }
        }
        for job in Array(waiting.values) + Array(queued.values) { job.end(.cancelled) }
        queued = [:]
        for id in Array(running.keys) { stop(id, .cancelled) }
    }

    /// - Returns: whether the loop continues.
    private func takeCommands() -> Bool {
        let (commands, isClosed) = inbox.take()
        for command in commands {
            switch command {
            case .start(let job): waiting[job.id] = job
            case .cancel(let id):
                waiting.removeValue(forKey: id)?.end(.cancelled)
                if let job = queued.removeValue(forKey: id) {
                    budget.withdraw(id, from: job.request.url.origin)
                    job.end(.cancelled)
                }
                stop(id, .cancelled)
            case .startNow(let id): waiting[id]?.due = 0
            case .resume(let id):
                multi.resume(id)
                running[id]?.watch = nil
            case .limit(let id, let limits):
                running[id]?.job.stallLimits = limits
                running[id]?.watch = nil
            }
        }
        return !isClosed
    }

    private func stop(_ id: UInt64, _ end: TransferEnd) {
        if let facts = multi.cancel(id) { finish(id, end, facts) }
    }

    /// Reports the end of a transfer that libcurl no longer has, and starts the next ones of its origin.
    private func finish(_ id: UInt64, _ end: TransferEnd, _ facts: TransferFacts) {
        guard let job = running[id]?.job else { return }
        let origin = job.request.url.origin
        let now = monotonicNanoseconds()
        if let status = facts.head?.status, [429, 503, 509].contains(status) { budget.refused(by: origin, now: now) }
        if facts.head != nil { connections.answered(id, isNewConnection: facts.isNewConnection) }
        if isRejected(job, end, facts, now) { return restart(job) }
        connections.ended(id, keepsConnection: end == .complete, now: now)
        leavePlace(of: id, as: nil, now)
        running[id] = nil
        job.end(end, facts)
    }

    /// Stops counting, for the limit of its origin, each transfer that has turned out to be endless.
    private func releaseEndless() {
        for (id, job) in running.mapValues(\.job) where job.isEndless == nil && multi.isAnswered(id) {
            // Asked once, because the source of the client may be released meanwhile.
            let isEndless = job.client.isEndless
            if isEndless { leavePlace(of: id, as: .endless, monotonicNanoseconds()) }
            running[id]?.job.isEndless = isEndless
        }
    }

    /// Stops counting a transfer, and starts those that waited for its place.
    ///
    /// - Parameter new: its place from now on. `nil`: it has ended.
    private func leavePlace(of id: UInt64, as new: Place?, _ now: Int64) {
        guard let transfer = running[id] else { return }
        let origin = transfer.job.request.url.origin
        if transfer.place == .silent { budget.silentEnded(at: origin) }
        // A silent or endless transfer has already given its place to another one.
        let next = transfer.place == .counted ? budget.release(at: origin, now: now) : []
        if let new { running[id]?.place = new }
        launchQueued(next)
    }

    private func launchQueued(_ next: [UInt64]) {
        for id in next {
            if let job = queued.removeValue(forKey: id) { launch(job) }
        }
    }

    /// Gives the place of a transfer to another while its server is silent, and counts it again when the server sends.
    private func followSilence(of id: UInt64, isSilent: Bool, _ now: Int64) {
        guard let transfer = running[id] else { return }
        let origin = transfer.job.request.url.origin
        switch transfer.place {
        case .counted where isSilent:
            guard let next = budget.fellSilent(at: origin, now: now) else { return }
            running[id]?.place = .silent
            launchQueued(next)
        case .silent where !isSilent:
            budget.spoke(at: origin)
            running[id]?.place = .counted
        case .counted, .silent, .endless: break
        }
    }

    /// Whether a server has probably closed the connection of a transfer, before any answer, because of other
    /// connections.
    private func isRejected(_ job: TransferJob, _ end: TransferEnd, _ facts: TransferFacts, _ now: Int64) -> Bool {
        guard case .failed(let error) = end, [.interrupted, .connection].contains(error.fault) else { return false }
        return facts.head == nil && facts.byteCount == 0 && job.restarts < Self.restartLimit
            && connections.isRejected(job.id, now: now)
    }

    /// Queues a transfer again whose connection its server does not serve, and limits the server to the other
    /// connections. The client has not received anything yet. libcurl must no longer have the transfer.
    private func restart(_ job: TransferJob) {
        let origin = job.request.url.origin
        let now = monotonicNanoseconds()
        // `leftUnserved` requires that the transfer counts.
        followSilence(of: job.id, isSilent: false, now)
        budget.leftUnserved(by: origin, now: now)
        connections.ended(job.id, keepsConnection: false, now: now)
        leavePlace(of: job.id, as: nil, now)
        running[job.id] = nil
        var job = job
        job.isEndless = nil
        (job.due, job.restarts) = (now + Self.restartPause << Int64(job.restarts), job.restarts + 1)
        waiting[job.id] = job
    }

    /// Restarts a transfer that has no connection yet. Its client is not told.
    private func reconnect(_ job: TransferJob) {
        guard multi.cancel(job.id) != nil else { return }
        connections.ended(job.id, keepsConnection: false, now: monotonicNanoseconds())
        launch(job)
    }

    private func launch(_ job: TransferJob) {
        var job = job
        job.launchTime = monotonicNanoseconds()
        running[job.id] = Running(job: job, place: running[job.id]?.place ?? .counted)
        connections.began(job.id, at: job.request.url.origin)
        let client = job.client
        multi.start(job.request, id: job.id, receiver: client) { client.allows($0) }
    }

    private func startDueJobs() {
        let now = monotonicNanoseconds()
        for var job in waiting.values.filter({ $0.due <= now }).sorted(by: { $0.id < $1.id }) {
            waiting[job.id] = nil
            // The time in the queue counts from now. `due` is 0 if the pause was cut short.
            job.due = now
            // A transfer that was not served comes after those that have not been tried.
            let isUrgent = job.isUrgent && job.restarts == 0
            if budget.acquire(job.id, at: job.request.url.origin, isUrgent: isUrgent) {
                launch(job)
            } else {
                queued[job.id] = job
            }
        }
    }

    /// Ends stalled and slow transfers, restarts those whose connection their server does not serve, and gives the
    /// places of silent ones to others.
    ///
    /// - Returns: the time of the next check.
    private func checkStalls() -> Int64 {
        let now = monotonicNanoseconds()
        var next = min(now + Self.longestWait, checkQueue(now))
        for id in Array(running.keys) where !multi.isPaused(id) {
            guard let job = running[id]?.job, let byteCount = multi.byteCount(of: id) else { continue }
            if [.ftps, .ftpes].contains(job.request.url.scheme) { next = min(next, now + Self.secureFTPWait) }
            guard multi.isConnected(id) else {
                if job.request.url.scheme.isFile { next = min(next, checkLogin(id, job, now)) }
                let quietTime = job.launchTime + job.stallLimits.quiet
                followSilence(of: id, isSilent: now >= quietTime, now)
                if now < quietTime { next = min(next, quietTime) }
                continue
            }
            if multi.isAnswered(id) { connections.answered(id, isNewConnection: multi.hasNewConnection(id)) }
            var watch = running[id]?.watch ?? StallWatch(job.stallLimits, now: now)
            let finding = watch.check(byteCount: byteCount, now: now)
            running[id]?.watch = watch
            if watch.isQuiet, isBlocked(job), multi.cancel(id) != nil {
                restart(job)
                continue
            }
            followSilence(of: id, isSilent: watch.isQuiet, now)
            switch finding {
            case .fine: break
            case .quiet: job.client.wentQuiet()
            case .stalled: stop(id, .stalled)
            case .tooSlow: stop(id, .tooSlow)
            }
            next = min(next, watch.nextCheck)
        }
        return waiting.values.reduce(next) { min($0, $1.due) }
    }

    /// Tells the clients of urgent transfers that have been queued for a while that they wait.
    ///
    /// - Returns: the time of the next check.
    private func checkQueue(_ now: Int64) -> Int64 {
        var next = Int64.max
        for (id, job) in queued where job.isUrgent && !job.isKnownToWait {
            let quietTime = job.due + job.stallLimits.quiet
            if now < quietTime {
                next = min(next, quietTime)
            } else {
                queued[id]?.isKnownToWait = true
                job.client.wentQuiet()
            }
        }
        return next
    }

    /// Ends a transfer whose server is silent during the login. libcurl limits only the time of the whole login.
    ///
    /// - Returns: the time of the next check.
    private func checkLogin(_ id: UInt64, _ job: TransferJob, _ now: Int64) -> Int64 {
        // Without a connection, there is no silence yet.
        guard let silence = multi.loginSilence(of: id) else { return now + job.stallLimits.quiet }
        var login = running[id]?.login ?? LoginWatch()
        let finding = login.check(silence: silence, job.stallLimits)
        running[id]?.login = login
        switch finding {
        case .fine: break
        case .quiet: job.client.wentQuiet()
        case .stalled, .tooSlow: stop(id, .stalled)
        }
        return now + login.timeUntilNextCheck(after: silence, job.stallLimits)
    }

    /// Whether a silent transfer probably waits until its server has closed another connection.
    private func isBlocked(_ job: TransferJob) -> Bool {
        job.request.url.scheme.isHTTP && job.restarts < Self.restartLimit && multi.hasNewConnection(job.id)
            && connections.isBlocked(job.id)
    }

    /// Handles changes of links and routes. If servers may be reachable again, transfers that were cut off end as
    /// `stalled`, so that their clients retry at once: TCP would retransmit lost data only after a backoff that has
    /// grown during the outage. Transfers that are still connecting are restarted.
    private func followNetwork() {
        guard let changes = network?.receive() else { return }
        if changes.contains(where: \.isReturn) {
            let now = monotonicNanoseconds()
            for (id, transfer) in running {
                if transfer.watch?.isQuiet ?? false { stop(id, .stalled) }
                guard transfer.watch == nil, !multi.isConnected(id) else { continue }
                if now - transfer.job.launchTime > Self.synTimeout { reconnect(transfer.job) }
            }
            for id in waiting.keys { waiting[id]?.due = 0 }
        }
        for change in changes { network?.notify(change) }
    }
}

/// Follows the links and routes of this machine, for the transfer thread.
private struct NetworkMonitor {
    /// `nil` if the kernel refuses the socket.
    let socket: RouteSocket?
    let notify: @Sendable (NetworkChange) -> Void
    private var watch = NetworkWatch()

    init(_ notify: @escaping @Sendable (NetworkChange) -> Void) {
        self.notify = notify
        do throws(Errno) {
            socket = try RouteSocket()
            requestRoutes()
        } catch {
            socket = nil
            notify(.unwatched("\(error)"))
        }
    }

    /// Receives all pending messages and returns the changes.
    mutating func receive() -> [NetworkChange] {
        var changes: [NetworkChange] = []
        while let socket {
            switch socket.receive() {
            case .messages(let bytes): changes += watch.take(bytes)
            case .lost: changes += watch.lostMessages()
            case .nothing: return changes
            }
            requestRoutes()
        }
        return changes
    }

    private mutating func requestRoutes() { if watch.takeListRequest() { socket?.requestRoutes() } }
}
