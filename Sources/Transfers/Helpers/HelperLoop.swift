// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime
internal import SourceWire

/// The process at the other end of a source's socket.
enum HelperPeer: Sendable {
    /// A program that is started when it is needed.
    ///
    /// - `path`: absolute.
    case program(path: String)
    /// A client's process, which registered the source and holds the other end of the socket.
    ///
    /// - `url`: the URL that `RegisterSource` returned.
    case client(PacketSocket, url: String)
}

/// Carries the requests of one source to its helper (docs/sources.md), on a thread of its own: starts the program,
/// kills it when it does not answer, and starts it again when the source sends the next request.
///
/// Thread-safety: safe. The helper ends with this object.
final class HelperLoop: TransferCarrier {
    let inbox: TransferInbox

    init(_ peer: HelperPeer, _ waiter: SocketWaiter) {
        let thread = HelperThread(peer, waiter: waiter)
        inbox = thread.inbox
        // The task ends when this loop is released.
        Task { await thread.run() }
    }

    deinit { inbox.close() }
}

/// The thread of a `HelperLoop`. Blocks only in `SocketWaiter.wait`, and briefly while a program starts or is killed.
private actor HelperThread {
    /// The longest wait, and the time after which a program without requests is ended, in nanoseconds.
    private static let longestWait: Int64 = 60_000_000_000
    /// How long after the connection timeout the engine still waits for the answer to `open`, in nanoseconds.
    private static let grace: Int64 = 1_000_000_000

    private struct Transfer {
        var job: TransferJob
        var watch: StallWatch?
        var facts = TransferFacts()
        var isPaused = false
        let start = monotonicNanoseconds()
    }

    /// A connected helper.
    private struct Session {
        let opened: OpenedRequest
        let socket: PacketSocket
        /// `nil` for the process of a client.
        let process: HelperProcess?
        let memory: SharedMemory
        let deadline: Int64
        var conversation = HelperConversation()
    }

    /// The source that the helper was requested to open. A request with other values needs a new helper.
    private struct OpenedRequest: Hashable {
        let url: String
        let credentials: HTTPCredentials?

        init(_ request: TransferRequest, for peer: HelperPeer) {
            switch peer {
            case .program:
                url = request.url.text
                credentials = request.credentials ?? request.url.credentials
            case .client(_, let registered):
                // A client provides one source, whatever arguments and credentials others load it with.
                (url, credentials) = (registered, nil)
            }
        }
    }

    private nonisolated let executor = ThreadExecutor(name: "helper")
    nonisolated let inbox: TransferInbox
    private let waiter: SocketWaiter
    private let peer: HelperPeer
    private var session: Session?
    /// Transfers whose pause has not ended.
    private var waiting: [UInt64: TransferJob] = [:]
    private var running: [UInt64: Transfer] = [:]
    private var lastUse = monotonicNanoseconds()
    /// Whether the client's process has closed its socket or was cut off. Only programs can be started again.
    private var hasEnded = false

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    init(_ peer: HelperPeer, waiter: SocketWaiter) {
        inbox = TransferInbox { waiter.wake() }
        self.waiter = waiter
        self.peer = peer
    }

    func run() {
        while takeCommands() {
            startDueJobs()
            receive()
            deliver()
            send()
            let next = checkTimes()
            waiter.wait(for: session?.socket, atMost: next - monotonicNanoseconds())
        }
        session = nil
        for job in waiting.values { job.end(.cancelled) }
        for id in Array(running.keys) { finish(id, .cancelled) }
    }

    /// - Returns: whether the loop continues.
    private func takeCommands() -> Bool {
        let (commands, isClosed) = inbox.take()
        for command in commands {
            switch command {
            case .start(let job): waiting[job.id] = job
            case .cancel(let id):
                waiting.removeValue(forKey: id)?.end(.cancelled)
                finish(id, .cancelled)
            case .startNow(let id): waiting[id]?.due = 0
            case .resume(let id):
                running[id]?.isPaused = false
                running[id]?.watch = nil
            case .limit(let id, let limits):
                running[id]?.job.stallLimits = limits
                running[id]?.watch = nil
            }
        }
        return !isClosed
    }

    private func finish(_ id: UInt64, _ end: TransferEnd) {
        session?.conversation.remove(id)
        guard var transfer = running.removeValue(forKey: id) else { return }
        lastUse = monotonicNanoseconds()
        transfer.facts.totalTime = .nanoseconds(lastUse - transfer.start)
        transfer.job.end(end, transfer.facts)
    }

    /// Ends the helper and all running transfers.
    private func endSession(_ end: TransferEnd) {
        if case .client(let socket, _) = peer, session != nil {
            socket.shutDown()
            hasEnded = true
        }
        session = nil
        for id in Array(running.keys) { finish(id, end) }
    }

    private func startDueJobs() {
        let now = monotonicNanoseconds()
        for job in waiting.values.filter({ $0.due <= now }).sorted(by: { $0.id < $1.id }) {
            waiting[job.id] = nil
            do throws(SourceRefusal) {
                try connect(for: job.request, now)
                running[job.id] = Transfer(job: job)
                session?.conversation.add(job.id, job.request.range, isUrgent: job.isUrgent, now: now)
            } catch {
                job.end(.refused(error))
            }
        }
    }

    /// Connects a helper for the request, unless one is connected.
    private func connect(for request: TransferRequest, _ now: Int64) throws(SourceRefusal) {
        let wanted = OpenedRequest(request, for: peer)
        if let session, session.opened == wanted { return }
        // The source was refreshed with another URL or other credentials.
        endSession(.cancelled)
        var limit = request.settings.connectTimeout
        // A short time-out of one caller must not end the source for all others.
        if case .client = peer { limit = max(limit, ConnectionSettings().connectTimeout) }
        var session = try makeSession(wanted, deadline: now + Int64(limit / .nanoseconds(1)) + Self.grace)
        var open = OpenRequest(url: wanted.url)
        if case .basic(let user, let password) = wanted.credentials { (open.user, open.password) = (user, password) }
        open.timeoutMilliseconds = Int(limit / .milliseconds(1))
        session.conversation.open(open)
        self.session = session
    }

    private func makeSession(_ opened: OpenedRequest, deadline: Int64) throws(SourceRefusal) -> Session {
        let memory: SharedMemory
        do throws(SystemError) {
            memory = try SharedMemory(
                name: "source",
                byteCount: HelperConversation.memoryByteCount,
                writer: .everybody
            )
        } catch {
            throw SourceRefusal(.unreachable, "the memory for data could not be created: \(error)")
        }
        switch peer {
        case .client(let socket, _):
            if hasEnded { throw SourceRefusal(.unreachable, "\(name) has ended or did not answer") }
            return Session(opened: opened, socket: socket, process: nil, memory: memory, deadline: deadline)
        case .program(let path):
            do throws(Errno) {
                let process = try HelperProcess(path)
                return Session(
                    opened: opened,
                    socket: process.socket,
                    process: process,
                    memory: memory,
                    deadline: deadline
                )
            } catch {
                throw SourceRefusal(.unreachable, "\(path) could not be started: \(error)")
            }
        }
    }

    private func send() {
        guard let session else { return }
        for request in self.session?.conversation.takeRequests(now: monotonicNanoseconds()) ?? [] {
            let shared: CInt? = if case .open = request { session.memory.descriptor } else { nil }
            guard session.socket.send(request.bytes, with: shared) else {
                return endSession(.refused(SourceRefusal(.unreachable, "\(name) has ended")))
            }
        }
    }

    private var name: String {
        switch peer {
        case .client: "the process that registered the source"
        case .program(let path): path
        }
    }

    private func receive() {
        while let socket = session?.socket {
            switch socket.receive(limit: longestSourceMessage) {
            case .nothing: return
            case .ended: endSession(.refused(SourceRefusal(.unreachable, "\(name) has ended")))
            case .message(let message):
                do throws(SourceViolation) {
                    let wasOpening = session?.conversation.isOpening ?? false
                    try session?.conversation.receive(message, now: monotonicNanoseconds())
                    // The answer to `open` has no bytes, but it ends the silence.
                    if wasOpening { for id in running.keys { running[id]?.watch = nil } }
                    if let failure = session?.conversation.failure { endSession(.refused(failure)) }
                } catch {
                    endSession(.refused(SourceRefusal(.violation, "\(name) sent \(error)")))
                }
            }
        }
    }

    /// Carries out the next steps of the transfers, as far as answers have arrived.
    private func deliver() {
        for id in session?.conversation.transfers ?? [] {
            while let step = session?.conversation.step(of: id), running[id]?.isPaused == false {
                guard take(step, of: id) else { break }
            }
        }
    }

    /// - Returns: whether the transfer continues at once.
    private func take(_ step: HelperConversation.Step, of id: UInt64) -> Bool {
        guard let client = running[id]?.job.client, let memory = session?.memory else { return false }
        var isNeeded = true
        switch step {
        case .end(let end):
            finish(id, end)
            // The libraries of helpers rarely reconnect to a server that they have lost, so the next attempt starts a
            // new program.
            if case .refused(let refusal) = end, refusal.kind == .unreachable, case .program = peer { endSession(end) }
            return false
        case .begin(let head):
            if let start = running[id]?.start {
                running[id]?.facts.timeToFirstByte = .nanoseconds(monotonicNanoseconds() - start)
            }
            isNeeded = client.began(.http(head))
        case .bytes(let range):
            guard client.hasRoom() else {
                running[id]?.isPaused = true
                return false
            }
            running[id]?.facts.byteCount += Int64(range.count)
            isNeeded = memory.withRawBytes(at: range.lowerBound, count: range.count) { client.received($0) }
        }
        session?.conversation.did(step, of: id)
        if !isNeeded { finish(id, .declined) }
        return isNeeded
    }

    /// Ends the helper when it does not open the source in time and, if it is a program, when a transfer stalls or it
    /// has been idle for too long. If a transfer of a client's process stalls, only that transfer ends.
    ///
    /// - Returns: the time of the next check.
    private func checkTimes() -> Int64 {
        let now = monotonicNanoseconds()
        var next = waiting.values.reduce(now + Self.longestWait) { min($0, $1.due) }
        guard let session else { return next }
        if session.conversation.isOpening {
            guard now < session.deadline else {
                endSession(.refused(SourceRefusal(.unreachable, "\(name) did not open the source in time")))
                return now
            }
            next = min(next, session.deadline)
        }
        for (id, transfer) in running where !transfer.isPaused {
            var watch = transfer.watch ?? StallWatch(transfer.job.stallLimits, now: now)
            let finding = watch.check(byteCount: transfer.facts.byteCount, now: now)
            running[id]?.watch = watch
            switch finding {
            case .fine: break
            case .quiet: transfer.job.client.wentQuiet()
            case .stalled, .tooSlow:
                let end: TransferEnd = finding == .stalled ? .stalled : .tooSlow
                // A program that does not answer would not react to a cancellation either. A client's process cannot be
                // started again, and the limits of one caller must not end its source for all others.
                guard case .program = peer else {
                    finish(id, end)
                    continue
                }
                endSession(end)
                return now
            }
            next = min(next, watch.nextCheck)
        }
        if running.isEmpty, waiting.isEmpty, case .program = peer {
            if now - lastUse >= Self.longestWait { self.session = nil }
            next = min(next, lastUse + Self.longestWait)
        }
        return next
    }
}
