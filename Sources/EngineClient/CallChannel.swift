// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import EngineRuntime
internal import NIOCore
internal import NIOPosix
internal import Wire

/// An HTTP/2 connection for any number of concurrent gRPC calls.
///
/// Thread-safety: safe. Releasing it closes the connection.
final class CallChannel: Sendable {
    /// The number of attempts to connect before the last one, while the backlog of the socket is full.
    private static let retryCount = 100
    /// The pause after each of them.
    private static let retryPause = Duration.milliseconds(20)

    private let connection: NIOLoopBound<ClientConnection>
    private let channel: any Channel

    private init(_ connection: NIOLoopBound<ClientConnection>, _ channel: any Channel) {
        self.connection = connection
        self.channel = channel
    }

    deinit { channel.close(promise: nil) }

    /// Connects to a Unix socket.
    ///
    /// - Throws: `permissionDenied`, `cancelled`, or `unavailable` when nothing listens.
    static func open(_ path: FilePath) async throws(EngineClientError) -> CallChannel {
        do {
            return try await connect(path)
        } catch let error as IOError where error.errnoCode == EACCES || error.errnoCode == EPERM {
            throw EngineClientError(.permissionDenied, "permission to open \(path.text) was denied", cause: "\(error)")
        } catch is CancellationError {
            throw .cancelled
        } catch {
            throw EngineClientError(.unavailable, "no engine listens on \(path.text)", cause: "\(error)")
        }
    }

    /// With a full backlog, connecting to a Unix socket fails with EAGAIN instead of waiting. Retries for about
    /// two seconds.
    private static func connect(_ path: FilePath) async throws -> CallChannel {
        for _ in 0..<retryCount {
            do {
                return try await attempt(path)
            } catch let error as IOError where error.errnoCode == EAGAIN {
                try await Task.sleep(for: retryPause)
            }
        }
        return try await attempt(path)
    }

    private static func attempt(_ path: FilePath) async throws -> CallChannel {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let connection = try await loop.submit { NIOLoopBound(ClientConnection(), eventLoop: loop) }.get()
        // NIO accepts only paths that are UTF-8.
        let descriptor: CInt
        do throws(SystemError) {
            descriptor = try connectedSocket(to: path, isBlocking: false)
        } catch {
            throw IOError(errnoCode: error.code, reason: error.function)
        }
        let channel = try await ClientBootstrap(group: loop)
            .channelInitializer { channel in
                loop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(connection.value) }
            }
            .withConnectedSocket(descriptor)
            .get()
        return CallChannel(connection, channel)
    }

    /// Closes the connection; open calls fail with `unavailable`.
    func close() async {
        _ = try? await channel.close()  // Fails only if the connection is closed already.
    }

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
