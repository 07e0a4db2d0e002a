// SPDX-License-Identifier: Apache-2.0

internal import EngineClient
internal import EngineJSON
internal import EngineModel
internal import EngineRuntime
internal import Loopback

/// The messages of a call as server-sent events (HTML standard, §9.2), each as one line of JSON. A failure is sent as a
/// last event with the name `error`.
///
/// Thread-safety: safe.
final class EventStream: ControlStream {
    private let call: MessageCall
    private let method: Contract.Method
    private let hasFailed = Locked(false)
    private let waiting: Locked<[UInt8]?>
    private let isAllowed: @Sendable () -> Bool
    private let ended: @Sendable () -> Void

    /// - Parameters:
    ///   - first: an event to send before those of the call.
    ///   - isAllowed: checked before each event of the call, but not before `first` and an error; the stream ends when it
    ///     returns `false`.
    ///   - ended: called once, by `cancel`.
    init(
        _ call: MessageCall,
        of method: Contract.Method,
        after first: JSON?,
        while isAllowed: @escaping @Sendable () -> Bool,
        ended: @escaping @Sendable () -> Void
    ) {
        self.isAllowed = isAllowed
        self.call = call
        self.method = method
        self.ended = ended
        // Without a first event, a comment is sent, so that the first bytes of the body arrive at once.
        waiting = Locked(first.map(Self.event) ?? Array(": \(method.name)\n\n".utf8))
    }

    func next() async -> [UInt8]? {
        let first = waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting
        }
        if let first { return first }
        guard !hasFailed.withLock(\.self) else { return nil }
        do throws(EngineClientError) {
            while let bytes = try await call.next() {
                guard isAllowed() else { return nil }
                do throws(EngineError) {
                    if let json = try WebMethods.json(method, bytes) { return Self.event(json) }
                } catch {
                    throw EngineClientError(.internal, "the engine's event cannot be parsed", cause: "\(error)")
                }
            }
            return nil
        } catch {
            hasFailed.withLock { $0 = true }
            return Array("event: error\ndata: \(JSON.object(("error", error.json)).text)\n\n".utf8)
        }
    }

    func cancel() {
        call.cancel()
        ended()
    }

    private static func event(_ json: JSON) -> [UInt8] { Array("data: \(json.text)\n\n".utf8) }
}
