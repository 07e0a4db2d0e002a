// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import EngineRuntime
internal import Logging
internal import NIOCore
internal import Wire

/// The server's state on its event loop: the connections, the hub, the timers of watches.
///
/// Never leaves the event loop; `IPCServer` reaches it by hopping there.
final class ServerCore {
    let loop: any EventLoop
    let service: any EngineService
    /// Control over HTTP; `nil` if there is none.
    let web: (any WebControlService)?
    let limits: ServerLimits
    let logger: Logger
    let methods = MethodTable()
    let hub = WatchHub()
    let inbox: ChangeInbox
    /// The bytes of unfinished requests of all connections; bounded by `ServerLimits.heldRequestBytes`.
    var heldRequestBytes = 0
    private(set) var runningTaskCount = 0
    private var stillArrival: UInt64 = 0
    /// The path of the side socket. `nil` if there is none.
    var sideSocketPath: String?
    /// Open connections to the side socket.
    var handoverCount = 0
    /// Open `Render` calls.
    var rendererCount = 0
    private(set) var isShuttingDown = false
    private var connections: [ObjectIdentifier: ServerConnection] = [:]
    private var flushQueue: [ServerConnection] = []
    private var output = ByteBuffer()
    private var isTellingDue = false
    private var isTelling = false
    private var tickers: [Duration: Scheduled<Void>] = [:]
    /// Runs short engine work on the event loop itself.
    private let executor: LoopExecutor

    init(
        loop: any EventLoop,
        service: any EngineService,
        web: (any WebControlService)? = nil,
        inbox: ChangeInbox,
        limits: ServerLimits,
        logger: Logger
    ) {
        self.loop = loop
        self.service = service
        self.web = web
        self.inbox = inbox
        self.limits = limits
        self.logger = logger
        executor = LoopExecutor(isOnLoop: { loop.inEventLoop }, execute: { loop.execute($0) })
    }

    /// The arrival number of the next request for a still. See `StillService.still`.
    func nextStillArrival() -> UInt64 {
        stillArrival += 1
        return stillArrival
    }

    // MARK: Connections

    var connectionCount: Int { connections.count }

    var hasRoomForConnection: Bool { connections.count < limits.connections && !isShuttingDown }

    func add(_ connection: ServerConnection) { connections[ObjectIdentifier(connection)] = connection }

    func remove(_ connection: ServerConnection) { connections[ObjectIdentifier(connection)] = nil }

    /// Tells every client to disconnect. A connection closes itself once its bytes are sent.
    func shutDown() {
        isShuttingDown = true
        for connection in connections.values { connection.shutDown() }
    }

    func closeAll() {
        for ticker in tickers.values { ticker.cancel() }
        tickers = [:]
        for connection in connections.values { connection.close() }
    }

    /// The number of connections that receive a change before their bytes are written, while their state is still in
    /// the CPU caches.
    private static let flushBatch = 16

    /// One visit of the loop flushes all connections that have bytes to send.
    func scheduleFlush(_ connection: ServerConnection) {
        flushQueue.append(connection)
        if isTelling {
            if flushQueue.count >= Self.flushBatch { flushWaiting() }
        } else if flushQueue.count == 1 {
            loop.assumeIsolated().execute { self.flushWaiting() }
        }
    }

    private func flushWaiting() {
        let waiting = flushQueue
        flushQueue.removeAll(keepingCapacity: true)
        for connection in waiting { connection.flush() }
    }

    /// Lends one buffer that serves all connections: a socket usually takes the whole content at once, and the buffer
    /// is free again.
    func withOutput<Result>(_ body: (inout ByteBuffer) -> Result) -> Result {
        var lent = ByteBuffer()
        swap(&lent, &output)
        defer { swap(&lent, &output) }
        return body(&lent)
    }

    // MARK: Changes

    /// Updates the hub with all changes that the engine has published so far.
    func drain() {
        let changes = inbox.drain()
        guard !changes.isEmpty else { return }
        for change in changes { hub.note(change) }
        startTickers()
        scheduleTelling()
    }

    /// Notes the state that a command's answer carries: no client may see an older one afterwards.
    func learn(_ state: SessionState) {
        drain()
        hub.learn(state)
        scheduleTelling()
    }

    /// Schedules event delivery for the loop's next visit, so that the client that caused a change gets its answer
    /// before a thousand watchers get the event.
    private func scheduleTelling() {
        guard hub.hasUnsaid, !isTellingDue else { return }
        isTellingDue = true
        loop.assumeIsolated().execute {
            self.isTellingDue = false
            self.isTelling = true
            self.hub.tell()
            self.isTelling = false
            self.flushWaiting()
        }
    }

    // MARK: Time

    /// One timer per interval, running only while a client watches a playhead that moves.
    func startTickers() {
        for interval in hub.intervalsInNeed where tickers[interval] == nil {
            schedule(interval, at: .now() + TimeAmount(clamping: interval))
        }
    }

    private func schedule(_ interval: Duration, at deadline: NIODeadline) {
        tickers[interval] = loop.assumeIsolated().scheduleTask(deadline: deadline) {
            self.tickers[interval] = nil
            guard self.hub.tick(interval) else { return }
            let next = deadline + TimeAmount(clamping: interval)
            self.schedule(interval, at: max(next, .now()))
        }
    }

    // MARK: Tasks

    /// Runs engine work and calls `completion` with its result on the event loop.
    ///
    /// - Parameter isShort: whether `body` only changes state and does not wait for media. Then it runs on the event
    ///   loop immediately: no thread is woken, and the result is usually available before this returns.
    func run<Value: Sendable>(
        isShort: Bool = false,
        _ body: @escaping @Sendable () async throws(EngineError) -> Value,
        completion: @escaping (Result<Value, EngineError>) -> Void
    ) -> Task<Void, Never> {
        runningTaskCount += 1
        let back = NIOLoopBound((core: self, completion: completion), eventLoop: loop)
        let loop = loop
        return Task(executorPreference: isShort ? executor : nil) {
            let result: Result<Value, EngineError>
            do throws(EngineError) { result = .success(try await body()) } catch { result = .failure(error) }
            let finish = { @Sendable in
                back.value.core.runningTaskCount -= 1
                back.value.completion(result)
            }
            if loop.inEventLoop { finish() } else { loop.execute(finish) }
        }
    }
}
