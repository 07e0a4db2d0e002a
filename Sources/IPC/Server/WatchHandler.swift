// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import EngineRuntime
internal import NIOCore
internal import Wire

/// `Watch`: receives one request, then sends events until either side ends the call.
///
/// States and times are encoded only when the stream has room for them; notices, seeks and ends of sessions are encoded
/// once, when they happen, for all watches.
final class WatchHandler: CallHandler {
    private let core: ServerCore
    private var options: WatchOptions?
    private var watcher: Watcher?
    private var call: ServerCall?
    /// The quota in which this watch is counted.
    private var quota: ClientQuota?
    /// Runs until the next batch is due.
    private var batchTimer: Scheduled<Void>?

    init(core: ServerCore) { self.core = core }

    func receive(_ message: [UInt8], on call: ServerCall) {
        guard options == nil else { return call.finish(.extraMessage) }
        do throws(EngineError) { options = try WatchOptions(wire: message) } catch { call.finish(GRPCStatus(error)) }
    }

    func receiveEnd(on call: ServerCall) {
        guard let options else { return call.finish(.missingMessage) }
        core.watches.drain()
        if case .session(let id) = options.scope, core.watches.hub.entry(id) == nil {
            let error = EngineError(.sessionNotFound, "session \(id.rawValue) does not exist")
            return call.finish(GRPCStatus(error))
        }
        guard let quota = call.connection?.quota, quota.takeWatch() else {
            let text =
                "the limit is \(core.limits.watchesPerConnection) watches per client and "
                + "\(core.limits.watches) in total"
            return call.finish(GRPCStatus(EngineError(.resourceExhausted, text)))
        }
        self.quota = quota
        self.call = call
        let watcher = Watcher(options: options) { call.resume() }
        self.watcher = watcher
        core.watches.add(watcher)
        call.open()
    }

    func nextMessage() -> [UInt8]? {
        guard let watcher else { return nil }
        switch core.watches.hub.next(for: watcher, now: monotonicNanoseconds()) {
        case .event(let bytes): return bytes
        case .nothing: return nil
        case .later(let due):
            wait(until: due)
            return nil
        case .finished:
            call?.finish(.ok)
            return nil
        }
    }

    private func wait(until due: Int64) {
        guard batchTimer == nil else { return }
        let delay = TimeAmount.nanoseconds(max(0, due - monotonicNanoseconds()))
        batchTimer = core.loop.assumeIsolated().scheduleTask(in: delay) {
            self.batchTimer = nil
            self.call?.resume()
        }
    }

    func callEnded() {
        batchTimer?.cancel()
        batchTimer = nil
        quota?.giveBackWatch()
        quota = nil
        if let watcher { core.watches.hub.remove(watcher) }
        watcher = nil
        call = nil
    }
}
