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
    /// Completes the ids of the sessions of the running engine.
    static let completion = CompletionKind.shellCommand("enginectl list 2>/dev/null | cut -c 3- | cut -d ' ' -f 1")

    @Option(help: ArgumentHelp("The session. Default: the one loaded last.", valueName: "id"), completion: completion)
    var session: String?

    var id: SessionID? { session.map(SessionID.init(rawValue:)) }
}

/// Resolves `path` against the working directory of this process, which is not the engine's.
///
/// If the path of the directory exceeds `PATH_MAX`, the result is a path below /proc, valid as long as this process
/// runs.
func absolutePath(_ path: String) -> String {
    guard !path.hasPrefix("/") else { return path }
    let directory = FileManager.default.currentDirectoryPath
    let whole = "\(directory)/\(path)"
    return directory.isEmpty || whole.utf8.count >= 4096 ? "/proc/\(getpid())/cwd/\(path)" : whole
}

/// The source in the form that the engine expects: an absolute path or a URL.
func absoluteSource(_ source: String) -> String {
    let isURL = ["file:", "http://", "https://"].contains { source.lowercased().hasPrefix($0) }
    return isURL ? source : absolutePath(source)
}

/// Finds arguments that the parser would misread.
enum LooseArguments {
    /// The first argument that begins with one dash and is not an option: probably a file name. The parser would split
    /// it into single letters and read an `h` as `-h`.
    static func misleading(in arguments: [String]) -> String? {
        arguments.prefix { $0 != "--" }.first { argument in
            guard argument.count > 2, argument.first == "-" else { return false }
            // A second dash begins a long option, a digit or a dot a number or a time.
            return argument.dropFirst().first.map { $0 != "-" && $0 != "." && !$0.isNumber } ?? false
        }
    }
}
