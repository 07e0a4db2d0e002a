// SPDX-License-Identifier: Apache-2.0

// The values of the API (sessions, commands and states) are types of EngineModel. Programs that import this module have
// them without a second import.
@_exported public import EngineModel
internal import Wire
internal import NIOCore
internal import NIOPosix

/// A connection to an engine.
///
/// The client does not reconnect by itself. When a call fails with `isConnectionLoss`, connect again, or use `follow`,
/// which reconnects. Any number of calls may run at a time. Cancelling a task cancels its call and the engine's work
/// for it. A `timeout` is also sent to the engine.
///
/// Thread-safety: safe. Releasing the client closes the connection.
public final class EngineClient: Sendable {
    /// The absolute path of the engine's socket.
    public let socket: String
    private let connection: NIOLoopBound<ClientConnection>
    private let channel: any Channel

    init(socket: String, _ connected: ConnectedChannel) {
        self.socket = socket
        connection = connected.connection
        channel = connected.channel
    }

    deinit { channel.close(promise: nil) }

    /// Closes the connection; open calls fail with `unavailable`.
    public func close() async {
        try? await channel.close()  // It may already be closed.
    }

    // MARK: Calls

    /// Opens a call.
    ///
    /// - Parameter request: framed; nothing follows it when `isComplete`.
    func call(_ path: String, _ request: [UInt8], isComplete: Bool = true, timeout: Duration?) async -> CallHandle {
        var fields = [
            (":method", "POST"), (":scheme", "http"), (":path", path), (":authority", "localhost"),
            ("te", "trailers"), ("content-type", "application/grpc"), ("user-agent", "engine-swift"),
        ]
        if let timeout { fields.append(("grpc-timeout", GRPCTimeout.format(timeout))) }
        let headers = HeaderBlock(fields)
        let connection = connection
        let loop = connection.eventLoop
        return await answer(from: loop) { done in
            let call = ClientCall(request: request, isComplete: isComplete)
            if let timeout { call.startDeadline(timeout, on: loop) }
            connection.value.start(call, headers: headers)
            done(CallHandle(NIOLoopBound(call, eventLoop: loop)))
        }
    }

    /// Calls a method of `engine.v1.Engine` that has one response.
    func unary<Response>(
        _ method: String,
        _ request: [UInt8],
        timeout: Duration?,
        _ decode: ([UInt8]) throws(EngineError) -> Response
    ) async throws(EngineClientError) -> Response {
        try await call("/engine.v1.Engine/\(method)", request, timeout: timeout).only(decode)
    }
}
