// SPDX-License-Identifier: Apache-2.0

internal import CTerminal
internal import Dispatch
internal import EngineClient
internal import EngineModel
internal import EngineRuntime
internal import Foundation
internal import Glibc

/// Reads keys from the terminal on stdin. The terminal's modes are restored on close and when the process exits.
final class Keyboard {
    /// The input of the terminal. Ends when the terminal is closed.
    let bytes: AsyncStream<[UInt8]>
    private let continued: any DispatchSourceSignal

    /// `nil` unless stdin is a terminal that this process reads from in the foreground.
    init?() {
        guard isatty(STDIN_FILENO) == 1, cterminal_take_keys() else { return nil }
        let (bytes, continuation) = AsyncStream<[UInt8]>.makeStream(bufferingPolicy: .bufferingNewest(64))
        self.bytes = bytes
        // The read blocks; the thread ends with the terminal or the process.
        Thread.detachNewThread {
            let input = BlockingInput(STDIN_FILENO)
            while case let bytes = input.next(), !bytes.isEmpty { continuation.yield(bytes) }
            continuation.finish()
        }
        // While the process is stopped, the shell sets the terminal's modes; SIGCONT restores the keyboard's.
        continued = DispatchSource.makeSignalSource(signal: SIGCONT, queue: .global())
        continued.setEventHandler { _ = cterminal_take_keys() }
        continued.resume()
    }

    func close() {
        continued.cancel()
        cterminal_give_keys_back()
    }
}

/// Executes keys as commands to a session.
///
/// Each key first requests the session's state, so that it acts on the result of the previous key.
final class KeyControl: Sendable {
    private let client: Locked<EngineClient>
    private let session: SessionID?

    /// - Parameter session: `nil` for the default session.
    init(client: EngineClient, session: SessionID?) {
        self.client = Locked(client)
        self.session = session
    }

    /// Sends later commands over another connection.
    func use(_ client: EngineClient) { self.client.withLock { $0 = client } }

    /// Returns when the quit key is pressed. After the terminal is closed, it waits until the task is cancelled.
    ///
    /// - Parameter help: shows or hides the list of keys.
    /// - Parameter note: shows why a key has no effect.
    func run(
        _ keys: AsyncStream<[UInt8]>,
        help: @Sendable () async throws -> Void,
        note: @Sendable (String) async throws -> Void
    ) async throws {
        var parser = KeyParser()
        for await bytes in keys {
            for action in parser.keys(in: bytes).compactMap(KeyBinding.action) {
                switch await perform(action) {
                case .command: break
                case .help: try await help()
                case .quit: return
                case .note(let text): try await note(text)
                }
            }
        }
        try await Task.sleep(for: .seconds(1 << 40))
    }

    private func perform(_ action: KeyBinding.Action) async -> KeyBinding.Action.Outcome {
        // These work without a session, and without an engine.
        if action == .help { return .help }
        if action == .quit { return .quit }
        let client = client.withLock { $0 }
        do throws(EngineClientError) {
            let outcome = action.outcome(in: try await client.state(of: session), at: monotonicNanoseconds())
            if case .command(let command) = outcome {
                _ = try await client.perform(CommandRequest(session: session, command: command))
            }
            return outcome
        } catch {
            return .note(error.message)
        }
    }
}
