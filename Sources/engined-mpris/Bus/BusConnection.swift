// SPDX-License-Identifier: Apache-2.0

internal import EngineRuntime
internal import Glibc

/// A connection to the session bus, on its own thread. Calls, replies and signals cross it as values.
///
/// `send` and `stop` may be called from any thread. `run` occupies the connection's own thread until it returns.
actor BusConnection {
    /// Limit of unanswered calls. Further calls are refused.
    private static let callLimit = 256
    /// How many messages to receive before sending what is queued.
    private static let batch = 64

    private let executor = ThreadExecutor(name: "session-bus")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    /// The calls, in order of arrival. Ends with the connection.
    nonisolated let calls: AsyncStream<DBusCall>
    private let callSink: AsyncStream<DBusCall>.Continuation
    private nonisolated let outbox = Locked(Outbox())
    private nonisolated let wakeup: Wakeup
    private let objectPath: String
    private var open: [UInt64: BusMessage] = [:]
    private var lastID: UInt64 = 0

    private struct Outbox: Sendable {
        var outputs: [DBusOutput] = []
        var isStopped = false
    }

    /// - Parameter objectPath: the path of the object that sends the signals.
    init(objectPath: String) throws(BusError) {
        // The stream never holds more calls than `open`, which is limited.
        (calls, callSink) = AsyncStream.makeStream(bufferingPolicy: .unbounded)
        self.objectPath = objectPath
        wakeup = try Wakeup()
    }

    nonisolated func send(_ output: DBusOutput) {
        outbox.withLock { $0.outputs.append(output) }
        wakeup.signal()
    }

    /// Makes `run` return after it has sent the queued outputs.
    nonisolated func stop() {
        outbox.withLock { $0.isStopped = true }
        wakeup.signal()
    }

    /// Connects, acquires the first free name, and serves until stopped. Called once.
    ///
    /// - Parameter ready: called with the acquired name.
    /// - Throws: when there is no bus, when other processes own all names, or when the connection is lost.
    func run(names: [String], ready: @Sendable (String) -> Void) throws(BusError) {
        defer { callSink.finish() }
        let bus = try SessionBus()
        ready(try Self.takeName(names, on: bus))
        while true {
            let (outputs, isStopped) = outbox.withLock { outbox in
                defer { outbox.outputs = [] }
                return (outbox.outputs, outbox.isStopped)
            }
            for output in outputs { try send(output, on: bus) }
            if isStopped { return }
            try receive(from: bus)
            try bus.wait(wakeup)
            wakeup.clear()
        }
    }

    private static func takeName(_ names: [String], on bus: borrowing SessionBus) throws(BusError) -> String {
        for name in names where try bus.request(name: name) {
            return name
        }
        throw BusError(function: "sd_bus_request_name", errnoCode: EEXIST)
    }

    /// Receives one batch, so that replies go out even while clients call without a pause.
    private func receive(from bus: borrowing SessionBus) throws(BusError) {
        for _ in 0..<Self.batch {
            switch try bus.next() {
            case .message(let message): try receive(message, from: bus)
            case .progress: continue
            case .idle: return
            }
        }
    }

    private func receive(_ message: BusMessage, from bus: borrowing SessionBus) throws(BusError) {
        guard message.isMethodCall else { return }
        let arguments: [DBusValue]
        do throws(DBusError) {
            guard open.count < Self.callLimit else { throw DBusError(.limitsExceeded, "too many calls are pending") }
            arguments = try message.arguments()
        } catch {
            return try bus.reply(to: message, error)
        }
        lastID += 1
        open[lastID] = message
        callSink.yield(
            DBusCall(
                id: lastID,
                path: message.path,
                interface: message.interface,
                member: message.member,
                arguments: arguments
            )
        )
    }

    private func send(_ output: DBusOutput, on bus: borrowing SessionBus) throws(BusError) {
        switch output {
        case .reply(let id, let values):
            if let call = open.removeValue(forKey: id) { try bus.reply(to: call, values) }
        case .failure(let id, let error):
            if let call = open.removeValue(forKey: id) { try bus.reply(to: call, error) }
        case .signal(let interface, let member, let values):
            try bus.signal(path: objectPath, interface, member, values)
        }
    }
}
