// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import EngineClient
internal import EngineRuntime

/// An `engined` process that this process started and will end.
final class EngineProcess {
    private static let timeToListen = Duration.seconds(10)
    private static let timeToEnd = Duration.seconds(5)
    /// How long the rest of the log may take once the engine has ended.
    private static let timeToLog = Duration.milliseconds(500)
    private static let retryInterval = Duration.milliseconds(20)

    let socket: String
    private let process: Process
    /// Signals once the process has ended.
    private let ended = ChangeSignal()
    private let directory: String?
    /// The standard input of the engine, which ends with this process however that ends.
    private let lifeline = Pipe()
    /// Relays the engine's log when stderr is a terminal, so that log lines do not break up the status line.
    private let log: LogRelay?

    /// Starts an engine. `connect` waits until it listens.
    ///
    /// - Parameter arguments: the options that set its socket. If `socket` is `nil`, they are ignored, and the socket
    ///   is in a private directory, which `end` removes.
    init(socket: String?, arguments: [String]) throws(Failure) {
        guard let program = Self.program() else {
            throw Failure(.noEngine, "no engine is running, and engined is neither beside enginectl nor in PATH")
        }
        process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        do {
            if let socket {
                self.socket = socket
                directory = nil
            } else {
                let directory = "\(NSTemporaryDirectory())/enginectl-\(UUID().uuidString)"
                try FileManager.default.createDirectory(
                    atPath: directory,
                    withIntermediateDirectories: false,
                    attributes: [.posixPermissions: 0o700]
                )
                self.directory = directory
                self.socket = "\(directory)/engined.sock"
            }
            let names = socket == nil ? ["--socket", self.socket] : arguments
            let common = ["--end-with-input", "--http-port", "0", "--journal", "off", "--log-level", "warning"]
            process.arguments = names + common
            process.standardInput = lifeline
            process.standardOutput = FileHandle.nullDevice
            process.terminationHandler = { [ended] _ in ended.signal() }
            log = Terminal.isErrorTerminal ? LogRelay() : nil
            if let log { process.standardError = log.pipe }
            try process.run()
            log?.start()
        } catch {
            throw Failure(.noEngine, "cannot start \(program): \(error.localizedDescription)")
        }
    }

    /// Waits until the engine accepts a connection. Tries again and again, because nothing announces that a process listens
    /// on a socket.
    func connect() async throws -> EngineClient {
        let deadline = Deadline(in: Self.timeToListen)
        repeat {
            guard process.isRunning else {
                throw Failure(.noEngine, "the engine exited during startup with status \(process.terminationStatus)")
            }
            do throws(EngineClientError) {
                return try await EngineClient.connect(socket: socket)
            } catch {
                if error.status == .deadlineExceeded { throw error }
            }
            await ended.wait(after: 0, until: Deadline(in: Self.retryInterval).nanoseconds)
            try Task.checkCancellation()
        } while !deadline.hasPassed
        throw Failure(.noEngine, "the engine did not listen on \(socket) within 10 s")
    }

    /// Terminates the engine, and kills it after five seconds.
    func end() async {
        process.terminate()
        await ended.waitForFirst(within: Self.timeToEnd)
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        await log?.ended.waitForFirst(within: Self.timeToLog)
        guard let directory else { return }
        // A directory that stays behind is small and private.
        _ = try? FileManager.default.removeItem(atPath: directory)
    }

    /// The program in the directory of this one, otherwise the first in PATH.
    private static func program() -> String? {
        let files = FileManager.default
        var beside: [String] = []
        do {
            let own = try files.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            beside = [URL(fileURLWithPath: own).deletingLastPathComponent().path]
        } catch {
            // Without /proc, only PATH is searched.
        }
        let path = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":").map(String.init) ?? []
        return (beside + path).map { "\($0)/engined" }.first { files.isExecutableFile(atPath: $0) }
    }
}

/// Copies the log of a process to stderr, line by line and above the status line, on a separate thread.
private final class LogRelay: Sendable {
    let pipe = Pipe()
    /// Signals once everything has been copied.
    let ended = ChangeSignal()

    /// Call this after the process has been started and holds the other end.
    func start() {
        _ = try? pipe.fileHandleForWriting.close()  // The descriptor is closed even if this fails.
        Thread.detachNewThread { [pipe, ended] in
            var unfinished: [UInt8] = []
            let input = BlockingInput(pipe.fileHandleForReading.fileDescriptor)
            while case let bytes = input.next(), !bytes.isEmpty {
                let lines = (unfinished + bytes).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
                unfinished = Array(lines.last ?? [])
                for line in lines.dropLast() { Terminal.writeError(String(decoding: line, as: UTF8.self)) }
            }
            if !unfinished.isEmpty { Terminal.writeError(String(decoding: unfinished, as: UTF8.self)) }
            ended.signal()
        }
    }
}

extension ChangeSignal {
    /// Returns at the first signal, or after `time`. Waits in a cancelled task too, because a shutdown must not be cut short.
    fileprivate func waitForFirst(within time: Duration) async {
        // Ends with the wait.
        await Task { await self.wait(after: 0, until: Deadline(in: time).nanoseconds) }.value
    }
}
