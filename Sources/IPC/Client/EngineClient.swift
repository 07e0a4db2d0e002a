// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import NIOCore
internal import NIOPosix

/// A connection to an engine.
///
/// It does not reconnect by itself: when a call fails with `isConnectionLoss`, connect again. Any number of calls may
/// run at a time; cancelling a task cancels its call. A `timeout` is also told to the engine.
///
/// Thread-safety: safe. Letting go of the client closes the connection.
package final class EngineClient: Sendable {
    private let connection: NIOLoopBound<ClientConnection>
    private let channel: any Channel

    /// - Parameter path: of the socket; see `SocketPath.resolve`.
    /// - Throws: `unavailable` when nothing listens there, `permissionDenied` when the socket is somebody else's.
    package static func connect(path: String) async throws(EngineClientError) -> EngineClient {
        do {
            return try await attempt(path)
        } catch let error as IOError where error.errnoCode == EACCES || error.errnoCode == EPERM {
            throw EngineClientError(.permissionDenied, "\(path) is not ours to open", cause: "\(error)")
        } catch {
            throw EngineClientError(.unavailable, "no engine listens on \(path)", cause: "\(error)")
        }
    }

    /// A full backlog refuses a Unix socket's connect with EAGAIN instead of keeping it waiting: tries for two seconds.
    private static func attempt(_ path: String) async throws -> EngineClient {
        for _ in 0..<100 {
            do {
                return try await open(path)
            } catch let error as IOError where error.errnoCode == EAGAIN {
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        return try await open(path)
    }

    private static func open(_ path: String) async throws -> EngineClient {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let connection = try await loop.submit { NIOLoopBound(ClientConnection(), eventLoop: loop) }.get()
        let channel = try await ClientBootstrap(group: loop)
            .channelInitializer { channel in
                loop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(connection.value) }
            }
            .connect(unixDomainSocketPath: path)
            .get()
        return EngineClient(connection: connection, channel: channel)
    }

    private init(connection: NIOLoopBound<ClientConnection>, channel: any Channel) {
        self.connection = connection
        self.channel = channel
    }

    deinit { channel.close(promise: nil) }

    /// Ends the connection; open calls fail with `unavailable`.
    package func close() async {
        try? await channel.close()  // Closed already is what is wanted.
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

    func unary(_ path: String, _ request: [UInt8], timeout: Duration?) async throws(EngineClientError) -> [UInt8] {
        let call = await call(path, request, timeout: timeout)
        return try await Self.onlyMessage(of: call)
    }

    static func onlyMessage(of call: CallHandle) async throws(EngineClientError) -> [UInt8] {
        guard let message = try await call.next() else {
            throw EngineClientError(.internal, "the engine answered with nothing")
        }
        while try await call.next() != nil {}
        return message
    }
}
