// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import EngineClient
internal import EngineRuntime

/// An `engined` process that this process started and will end.
final class EngineProcess {
    let socket: String
    private let process: Process
    private let directory: String?
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
            process.arguments = names + ["--http-port", "0", "--journal", "off", "--log-level", "warning"]
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = FileHandle.nullDevice
            log = Terminal.isErrorTerminal ? LogRelay() : nil
            if let log { process.standardError = log.pipe }
            try process.run()
            log?.start()
        } catch {
            throw Failure(.noEngine, "cannot start \(program): \(error.localizedDescription)")
        }
    }

    /// Waits until the engine accepts a connection.
    func connect() async throws -> EngineClient {
        for _ in 0..<500 {
            guard process.isRunning else {
                throw Failure(.noEngine, "the engine exited during startup with status \(process.terminationStatus)")
            }
            do throws(EngineClientError) {
                return try await EngineClient.connect(socket: socket)
            } catch {
                if error.status == .deadlineExceeded { throw error }
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw Failure(.noEngine, "the engine did not listen on \(socket) within 10 s")
    }

    /// Terminates the engine, and kills it after five seconds.
    func end() async {
        process.terminate()
        for _ in 0..<500 where process.isRunning { await Self.pause() }
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        for _ in 0..<50 where log?.isEnded == false { await Self.pause() }
        // Errors are ignored: a leftover directory is small and private.
        if let directory { try? FileManager.default.removeItem(atPath: directory) }
    }

    /// Waits ten milliseconds even in a cancelled task, because the shutdown must not be cut short.
    private static func pause() async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(10)) { continuation.resume() }
        }
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
    private let ended = Locked(false)

    var isEnded: Bool { ended.withLock(\.self) }

    /// Call this after the process has been started and holds the other end.
    func start() {
        // Errors are ignored: the descriptor is closed either way.
        try? pipe.fileHandleForWriting.close()
        Thread.detachNewThread { [pipe, ended] in
            var unfinished: [UInt8] = []
            let input = BlockingInput(pipe.fileHandleForReading.fileDescriptor)
            while case let bytes = input.next(), !bytes.isEmpty {
                let lines = (unfinished + bytes).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
                unfinished = Array(lines.last ?? [])
                for line in lines.dropLast() { Terminal.writeError(String(decoding: line, as: UTF8.self)) }
            }
            if !unfinished.isEmpty { Terminal.writeError(String(decoding: unfinished, as: UTF8.self)) }
            ended.withLock { $0 = true }
        }
    }
}
