// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import EngineRuntime
internal import Logging
internal import NIOCore

/// Everything the server has on its event loop: the connections, the hub, the timers of watches.
///
/// Never leaves the event loop; `IPCServer` reaches it by hopping there.
final class ServerCore {
    let loop: any EventLoop
    let service: any EngineService
    let limits: ServerLimits
    let logger: Logger
    let methods = MethodTable()
    let hub = WatchHub()
    let inbox: ChangeInbox
    /// Of all connections; bounded by `ServerLimits.heldRequestBytes`.
    var heldRequestBytes = 0
    private(set) var runningTaskCount = 0
    /// Where attachments are given out. `nil` where there is no such socket.
    var sidePath: String?
    /// Open connections there.
    var attachmentCount = 0
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
        inbox: ChangeInbox,
        limits: ServerLimits,
        logger: Logger
    ) {
        self.loop = loop
        self.service = service
        self.inbox = inbox
        self.limits = limits
        self.logger = logger
        executor = LoopExecutor(isOnLoop: { loop.inEventLoop }, execute: { loop.execute($0) })
    }

    // MARK: Connections

    var connectionCount: Int { connections.count }

    var hasRoomForConnection: Bool { connections.count < limits.connections && !isShuttingDown }

    func add(_ connection: ServerConnection) { connections[ObjectIdentifier(connection)] = connection }

    func remove(_ connection: ServerConnection) { connections[ObjectIdentifier(connection)] = nil }

    /// Tells every client to go. Connections close by themselves once that is sent.
    func shutDown() {
        isShuttingDown = true
        for connection in connections.values { connection.shutDown() }
    }

    func closeAll() {
        for ticker in tickers.values { ticker.cancel() }
        tickers = [:]
        for connection in connections.values { connection.close() }
    }

    /// So many connections are told of a change before their bytes are written, while all of them is at hand in the caches.
    private static let flushBatch = 16

    /// One visit of the loop flushes all connections that have something to say.
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

    /// One buffer serves all connections: a socket most often takes what it is given at once, and then it is free again.
    func withOutput<Result>(_ body: (inout ByteBuffer) -> Result) -> Result {
        var lent = ByteBuffer()
        swap(&lent, &output)
        defer { swap(&lent, &output) }
        return body(&lent)
    }

    // MARK: Changes

    /// Brings the hub up to what the engine has said so far.
    func drain() {
        let changes = inbox.drain()
        guard !changes.isEmpty else { return }
        for change in changes { hub.note(change) }
        startTickers()
        scheduleTelling()
    }

    /// A command's answer carries a state: nobody may be told an older one afterwards.
    func learn(_ state: SessionState) {
        drain()
        hub.learn(state)
        scheduleTelling()
    }

    /// The loop's next visit, so that whoever caused a change has his answer before a thousand others hear of it.
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

    /// One timer an interval, running only while somebody watches a playhead that moves.
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

    /// Runs engine work and comes back with its result.
    ///
    /// - Parameter isShort: it changes state and waits for no media: run here and now, so that no thread is woken and the
    ///   result is most often there before this returns.
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
