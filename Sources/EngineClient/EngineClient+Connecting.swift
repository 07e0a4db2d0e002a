// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Wire
internal import NIOCore
internal import NIOPosix

extension EngineClient {
    /// The path of an engine's socket: `socket`, or `$XDG_RUNTIME_DIR/engined/engined.sock` when that is `nil`.
    ///
    /// - Throws: `invalidArgument` for a path that is not absolute or too long for a Unix socket, `unavailable` when
    ///   there is no default path.
    public static func socketPath(_ socket: String? = nil) throws(EngineClientError) -> String {
        do throws(EngineError) {
            return try SocketPath.resolve(socket).path
        } catch {
            throw EngineClientError(GRPCStatus(error))
        }
    }

    /// How long an engine may take for its first answer, which needs neither a file nor a session.
    public static let patience = Duration.seconds(5)

    /// Connects to the engine that listens on `socket`, and waits for its first answer.
    ///
    /// - Parameter socket: as for `socketPath`.
    /// - Parameter patience: how long to wait for that answer. `nil`: it is not asked for.
    /// - Throws: what `socketPath` throws, `unavailable` with `isConnectionLoss` when nothing listens,
    ///   `deadlineExceeded` when an engine listens but does not answer, for example because it is suspended,
    ///   `permissionDenied` when the socket belongs to another user, `cancelled` when the task was cancelled.
    public static func connect(
        socket: String? = nil,
        patience: Duration? = patience
    ) async throws(EngineClientError) -> EngineClient {
        let client = try await connect(path: try socketPath(socket))
        guard let patience else { return client }
        let failure: EngineClientError
        do throws(EngineClientError) {
            try await client.requireAnswer(within: patience)
            return client
        } catch {
            failure = error
        }
        await client.close()
        throw failure
    }

    /// Waits for an answer that needs neither a file nor a session.
    ///
    /// - Throws: `deadlineExceeded` when the engine does not answer, for example because it is suspended.
    public func requireAnswer(within patience: Duration = patience) async throws(EngineClientError) {
        do throws(EngineClientError) {
            _ = try await isServing(timeout: patience)
        } catch {
            guard error.status == .deadlineExceeded else { throw error }
            let (seconds, rest) = patience.components
            let time = rest == 0 ? "\(seconds) s" : "\(patience / .milliseconds(1)) ms"
            throw EngineClientError(.deadlineExceeded, "the engine on \(socket) has not answered for \(time)")
        }
    }

    private static func connect(path: String) async throws(EngineClientError) -> EngineClient {
        do {
            return try await EngineClient(socket: path, ConnectedChannel.open(path))
        } catch let error as IOError where error.errnoCode == EACCES || error.errnoCode == EPERM {
            throw EngineClientError(.permissionDenied, "permission to open \(path) was denied", cause: "\(error)")
        } catch is CancellationError {
            throw .cancelled
        } catch {
            throw EngineClientError(.unavailable, "no engine listens on \(path)", cause: "\(error)")
        }
    }

    /// Connects as soon as an engine listens and answers, however long that takes.
    ///
    /// - Parameter interval: the time between two attempts.
    /// - Throws: what `connect(socket:)` throws, except when nothing listens or answers.
    public static func connect(
        socket: String? = nil,
        retryingEvery interval: Duration
    ) async throws(EngineClientError) -> EngineClient {
        while true {
            do throws(EngineClientError) {
                return try await connect(socket: socket)
            } catch {
                guard error.isConnectionLoss || error.status == .deadlineExceeded else { throw error }
            }
            do { try await Task.sleep(for: interval) } catch { throw .cancelled }
        }
    }
}

/// A connection on its event loop, and the channel below it.
struct ConnectedChannel: Sendable {
    let connection: NIOLoopBound<ClientConnection>
    let channel: any Channel

    /// With a full backlog, connecting to a Unix socket fails with EAGAIN instead of waiting. Retries for two seconds.
    static func open(_ path: String) async throws -> ConnectedChannel {
        for _ in 0..<100 {
            do {
                return try await attempt(path)
            } catch let error as IOError where error.errnoCode == EAGAIN {
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        return try await attempt(path)
    }

    private static func attempt(_ path: String) async throws -> ConnectedChannel {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let connection = try await loop.submit { NIOLoopBound(ClientConnection(), eventLoop: loop) }.get()
        let channel = try await ClientBootstrap(group: loop)
            .channelInitializer { channel in
                loop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(connection.value) }
            }
            .connect(unixDomainSocketPath: path)
            .get()
        return ConnectedChannel(connection: connection, channel: channel)
    }
}
