// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineModel
internal import Foundation
internal import EngineClient

/// Which engine to speak to.
struct EngineOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The engine's socket.", valueName: "path"), completion: .file())
    var socket: String?

    /// What was asked for, by option or environment. `nil`: the default place.
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

/// Which session a command is for.
struct SessionOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The session; without it the one loaded last.", valueName: "id"))
    var session: String?

    var id: SessionID? { session.map(SessionID.init(rawValue:)) }
}

/// `path` seen from the working directory of this process, which is not the engine's.
func absolutePath(_ path: String) -> String {
    path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
}

/// A source as the engine takes it: an absolute path or a URL.
func absoluteSource(_ source: String) -> String {
    let isURL = ["file:", "http://", "https://"].contains { source.lowercased().hasPrefix($0) }
    return isURL ? source : absolutePath(source)
}
