// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Wire

/// A call with serialised messages, for a gateway that serves the contract in another form.
///
/// Thread-safety: safe; one `next` at a time. Releasing it cancels the call.
package struct MessageCall: Sendable {
    fileprivate let call: CallHandle

    /// The next message, `nil` after the last. Cancelling the task cancels the call.
    package func next() async throws(EngineClientError) -> [UInt8]? { try await call.next() }

    /// Sends another message. Returns when there is room for one more.
    package func send(_ message: [UInt8]) async {
        await call.send(MessageFraming.prefix(messageByteCount: message.count) + message)
    }

    package func cancel() { call.cancel() }
}

extension EngineClient {
    /// Calls a method of `engine.v1.Engine` with a serialised request.
    ///
    /// - Parameter isComplete: whether no message follows.
    package func call(_ method: String, _ message: [UInt8], isComplete: Bool = true) async -> MessageCall {
        let framed = MessageFraming.prefix(messageByteCount: message.count) + message
        let path = "/engine.v1.Engine/\(method)"
        return MessageCall(call: await channel.call(path, framed, isComplete: isComplete, timeout: nil))
    }

    /// Calls a method that has one response, and returns the serialised response.
    package func answer(_ method: String, _ message: [UInt8]) async throws(EngineClientError) -> [UInt8] {
        let call = await call(method, message)
        guard let answer = try await call.next() else {
            throw EngineClientError(.internal, "the engine's response is empty")
        }
        while try await call.next() != nil {}
        return answer
    }
}
