// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import EngineRuntime
internal import Wire

/// The client's connection to a ring, with a thread that receives the engine's messages.
final class HandoverClient: Sendable {
    private enum State {
        case open
        case over(EngineClientError?)
    }

    private let connection: HandoverSocket
    private let receiver: HandoverReceiver
    private let state = Locked(State.open)
    /// Signalled at each message from the engine, and when the attachment has ended.
    let signal = ChangeSignal()

    /// Connects, and sends the ticket.
    ///
    /// - Throws: `unavailable` when nothing listens on the socket.
    init(_ answer: AttachmentAnswer) async throws(EngineClientError) {
        let receiver = HandoverReceiver()
        connection = try await receiver.connect(answer)
        self.receiver = receiver
    }

    deinit { connection.shutDown() }

    /// Starts to receive messages. Returns after the first one, which carries the memory; throws if the attachment ends
    /// instead.
    ///
    /// - Parameter take: called with the descriptors of each memory, which it then owns. An error that it throws ends
    ///   the attachment.
    func begin(
        _ take: @escaping @Sendable (_ ring: CInt, _ control: CInt) throws(EngineClientError) -> Void
    ) async throws(EngineClientError) {
        let seen = signal.signalCount
        let (connection, signal, state) = (connection, signal, state)
        // The task ends when the connection does, at the latest in `deinit`.
        Task { [receiver] in
            let end = await receiver.run(connection, take) { signal.signal() }
            state.withLock { $0 = .over(end) }
            signal.signal()
        }
        await signal.wait(after: seen, until: nil)
        try check()
    }

    /// - Throws: when the attachment has ended.
    func check() throws(EngineClientError) {
        guard case .over(let error) = state.withLock({ $0 }) else { return }
        throw error ?? .connectionLost
    }

    func ask() { connection.ask() }

    func close() { connection.shutDown() }
}

/// Connects to the side socket and receives the engine's messages, on a thread of its own.
private actor HandoverReceiver {
    private let executor = ThreadExecutor(name: "frames")

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    func connect(_ answer: AttachmentAnswer) throws(EngineClientError) -> HandoverSocket {
        let text = answer.socketPath
        let path = FilePath.isFileURL(text) ? FilePath(fileURL: text) : nil
        do throws(SystemError) {
            return try HandoverSocket(path ?? FilePath(text), showing: answer.ticket)
        } catch {
            throw EngineClientError(.unavailable, "cannot connect to \(text)", cause: "\(error)")
        }
    }

    /// - Returns: the reason why the attachment has ended; `nil` when the connection ended without one.
    func run(
        _ connection: HandoverSocket,
        _ take: @Sendable (_ ring: CInt, _ control: CInt) throws(EngineClientError) -> Void,
        _ notify: @Sendable () -> Void
    ) -> EngineClientError? {
        while let (message, descriptors) = connection.receive() {
            let isMemory = message.kind == .memory && descriptors.count == 2
            if !isMemory { HandoverSocket.close(descriptors) }
            switch message.kind {
            case .news, .source: break
            case .refused: return EngineClientError(.notFound, "the engine does not know the ticket")
            case .over: return .over(message.value)
            case .memory:
                guard isMemory else {
                    return EngineClientError(.internal, "the engine sent memory without descriptors")
                }
                do throws(EngineClientError) { try take(descriptors[0], descriptors[1]) } catch { return error }
            }
            notify()
        }
        return nil
    }
}

extension EngineClientError {
    fileprivate static func over(_ reason: UInt64) -> EngineClientError {
        switch HandoverEnd(rawValue: reason) {
        case .session: EngineClientError(.notFound, "the session has ended", code: .sessionNotFound)
        case .refused:
            EngineClientError(.failedPrecondition, "another renderer plays the session", code: .pathConflict)
        case .impossible: EngineClientError(.resourceExhausted, "a frame could not be delivered")
        case .stalled: EngineClientError(.aborted, "frames or audio were not read in time")
        case .unread, nil: EngineClientError(.unavailable, "the engine ended the attachment")
        }
    }
}
