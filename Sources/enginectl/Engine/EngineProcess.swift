// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import EngineClient

/// An `engined` that this process started and ends.
final class EngineProcess {
    let socket: String
    private let process: Process
    private let directory: String?

    /// Starts an engine and waits until it listens.
    ///
    /// - Parameter arguments: what names its socket; `nil` for a socket in a private directory that goes with it.
    init(socket: String?, arguments: [String]) throws(Failure) {
        guard let program = Self.program() else {
            throw Failure(.noEngine, "no engine runs, and engined is neither beside enginectl nor in PATH")
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

    /// Waits until the engine answers.
    func connect() async throws -> EngineClient {
        for _ in 0..<500 {
            guard process.isRunning else {
                throw Failure(.noEngine, "the engine ended at its start with status \(process.terminationStatus)")
            }
            do {
                return try await EngineClient.connect(socket: socket)
            } catch {
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        throw Failure(.noEngine, "the engine did not listen on \(socket) within 10 s")
    }

    /// Asks it to end, and insists after five seconds.
    func end() async {
        process.terminate()
        for _ in 0..<500 where process.isRunning { await Self.pause() }
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        // A directory that is left behind is empty and private.
        if let directory { try? FileManager.default.removeItem(atPath: directory) }
    }

    /// Ten milliseconds, also in a task that was cancelled: ending must not be cut short.
    private static func pause() async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(10)) { continuation.resume() }
        }
    }

    /// Beside this program, else the first in PATH.
    private static func program() -> String? {
        let files = FileManager.default
        let own = try? files.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let beside = own.map { [URL(fileURLWithPath: $0).deletingLastPathComponent().path] } ?? []
        let path = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":").map(String.init) ?? []
        return (beside + path).map { "\($0)/engined" }.first { files.isExecutableFile(atPath: $0) }
    }
}
