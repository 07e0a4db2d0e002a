// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import NIOCore

/// A task's handle on a call: each step hops to the event loop and back. Releasing the handle cancels the call.
///
/// Thread-safety: safe; one `next` at a time.
final class CallHandle: Sendable {
    private let call: NIOLoopBound<ClientCall>
    private let loop: any EventLoop

    init(_ call: NIOLoopBound<ClientCall>) {
        self.call = call
        loop = call.eventLoop
    }

    deinit { cancel() }

    /// The next message, `nil` after the last. Cancelling the task cancels the call.
    func next() async throws(EngineClientError) -> [UInt8]? {
        let call = call
        let result = await withTaskCancellationHandler {
            await answer(from: loop) { done in call.value.receive { done($0) } }
        } onCancel: {
            cancel()
        }
        return try result.get()
    }

    /// The next message, decoded; `nil` after the last.
    ///
    /// - Parameter decode: returns `nil` for a message that this build does not know; the message is skipped.
    func next<Message>(
        _ decode: ([UInt8]) throws(EngineError) -> Message?
    ) async throws(EngineClientError) -> Message? {
        while let bytes = try await next() {
            do throws(EngineError) {
                if let message = try decode(bytes) { return message }
            } catch {
                throw EngineClientError(malformed: error)
            }
        }
        return nil
    }

    /// The only message of the call, decoded.
    func only<Message>(
        _ decode: ([UInt8]) throws(EngineError) -> Message
    ) async throws(EngineClientError) -> Message {
        guard let message = try await next(decode) else {
            throw EngineClientError(.internal, "the engine's response is empty")
        }
        while try await next() != nil {}
        return message
    }

    /// Sends a framed message. Returns when there is room for another.
    func send(_ framed: [UInt8]) async {
        let call = call
        await withTaskCancellationHandler {
            await answer(from: loop) { done in call.value.send(framed) { done(()) } }
        } onCancel: {
            cancel()
        }
    }

    func sendEnd() {
        let call = call
        loop.execute { call.value.sendEnd() }
    }

    func cancel() {
        let call = call
        loop.execute { call.value.abandon(.cancelled) }
    }
}
