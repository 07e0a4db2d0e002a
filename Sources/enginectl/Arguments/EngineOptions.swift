// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineModel
internal import Foundation
internal import EngineClient

/// The options that select the engine to connect to.
struct EngineOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The engine's socket.", valueName: "path"), completion: .file())
    var socket: String?

    /// The socket path given by option or environment; `nil` for the default path.
    var chosenSocket: String? {
        guard let chosen = socket ?? ProcessInfo.processInfo.environment["ENGINED_SOCKET"], !chosen.isEmpty else {
            return nil
        }
        return absolutePath(chosen)
    }

    func socketPath() throws(Failure) -> String {
        do throws(EngineClientError) {
            return try EngineClient.socketPath(chosenSocket)
        } catch {
            throw Failure(.noEngine, error.message)
        }
    }
}

/// The option that selects the session of a command.
struct SessionOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The session. Default: the one loaded last.", valueName: "id"))
    var session: String?

    var id: SessionID? { session.map(SessionID.init(rawValue:)) }
}

/// Resolves `path` against the working directory of this process, which is not the engine's.
func absolutePath(_ path: String) -> String {
    path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
}

/// The source in the form that the engine expects: an absolute path or a URL.
func absoluteSource(_ source: String) -> String {
    let isURL = ["file:", "http://", "https://"].contains { source.lowercased().hasPrefix($0) }
    return isURL ? source : absolutePath(source)
}
