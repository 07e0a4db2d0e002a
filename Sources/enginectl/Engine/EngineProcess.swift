// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import EngineClient

/// An `engined` process that this process started and will end.
final class EngineProcess {
    let socket: String
    private let process: Process
    private let directory: String?

    /// Starts an engine. `connect` waits until it listens.
    ///
    /// - Parameter arguments: the options that set its socket. If `socket` is `nil`, they are ignored, and the socket
    ///   is in a private directory, which is removed in the end.
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
            try process.run()
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
            let client: EngineClient
            do {
                client = try await EngineClient.connect(socket: socket)
            } catch {
                try await Task.sleep(for: .milliseconds(20))
                continue
            }
            try await EngineAccess.requireAnswer(from: client)
            return client
        }
        throw Failure(.noEngine, "the engine did not listen on \(socket) within 10 s")
    }

    /// Terminates the engine, and kills it after five seconds.
    func end() async {
        process.terminate()
        for _ in 0..<500 where process.isRunning { await Self.pause() }
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        // Errors are ignored: a leftover directory is empty and private.
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
        let own = try? files.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let beside = own.map { [URL(fileURLWithPath: $0).deletingLastPathComponent().path] } ?? []
        let path = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":").map(String.init) ?? []
        return (beside + path).map { "\($0)/engined" }.first { files.isExecutableFile(atPath: $0) }
    }
}
