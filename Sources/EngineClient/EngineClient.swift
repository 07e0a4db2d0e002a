// SPDX-License-Identifier: Apache-2.0

// Sessions, commands, states and other values of the API are types of EngineModel. Programs that import this module
// need not import that one.
@_exported public import EngineModel
internal import Wire

/// A connection to an engine, and its calls.
///
/// The client does not reconnect by itself. When a call fails with `isConnectionLoss`, connect again, or use `follow`,
/// which reconnects. Any number of calls may run concurrently. Cancelling a task cancels its call and the engine's work
/// for it. The engine also ends a call at its `timeout`.
///
/// Copies share the connection. It closes when the last copy is released.
public struct EngineClient: Sendable {
    /// The absolute path of the engine's socket.
    public let socket: String
    let channel: CallChannel

    private init(socket: String, _ channel: CallChannel) {
        self.socket = socket
        self.channel = channel
    }

    /// Whether both clients use the same connection, because one is a copy of the other.
    package func sharesConnection(with other: EngineClient) -> Bool { channel === other.channel }

    /// Closes the connection; open calls fail with `unavailable`.
    public func close() async { await channel.close() }

    // MARK: Connecting

    /// The path of an engine's socket: `socket`, or `$XDG_RUNTIME_DIR/engined/engined.sock` when that is `nil`. A path
    /// that is not UTF-8 is written as a `file:` URL, see `FilePath.text`.
    ///
    /// - Throws: `invalidArgument` for a path that is not absolute or too long for a Unix socket, `unavailable` when
    ///   there is no default path.
    public static func socketPath(_ socket: String? = nil) throws(EngineClientError) -> String {
        try place(socket).path
    }

    private static func place(_ socket: String?) throws(EngineClientError) -> SocketPath {
        do throws(EngineError) {
            return try SocketPath.resolve(socket)
        } catch {
            throw EngineClientError(GRPCStatus(error))
        }
    }

    /// The default time limit for the engine's first answer.
    public static let patience = Duration.seconds(5)

    /// Connects to the engine that listens on `socket`, and waits for its first answer.
    ///
    /// - Parameter socket: as for `socketPath`.
    /// - Parameter patience: how long to wait for that answer. `nil`: no answer is requested.
    /// - Throws: what `socketPath` throws, `unavailable` with `isConnectionLoss` when nothing listens,
    ///   `deadlineExceeded` when an engine listens but does not answer, for example because it is suspended,
    ///   `permissionDenied` when the socket belongs to another user, `cancelled` when the task was cancelled.
    public static func connect(
        socket: String? = nil,
        patience: Duration? = patience
    ) async throws(EngineClientError) -> EngineClient {
        let place = try place(socket)
        let client = EngineClient(socket: place.path, try await .open(place.file))
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

    /// Waits until the engine answers a call that needs neither a file nor a session.
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
