// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineModel
internal import EngineClient
internal import EngineRuntime

/// The options that select the engine to connect to.
struct EngineOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The engine's socket.", valueName: "path"), completion: .file())
    var socket: String?

    /// The socket path given by option or environment, as in `FilePath.text`; `nil` for the default path.
    var chosenSocket: String? {
        let variable = ProcessNames.variable("ENGINED_SOCKET").map { ByteText.text(of: $0) }
        guard let chosen = socket ?? variable, !chosen.isEmpty else { return nil }
        return FilePath.isFileURL(chosen) ? chosen : FileArgument(chosen).path.text
    }

    /// - Throws: if the user chose a path that cannot be that of a socket.
    func socketPath() throws(Failure) -> String {
        let path: String
        do throws(EngineClientError) {
            path = try EngineClient.socketPath(chosenSocket)
        } catch {
            throw Failure(.noEngine, error.message)
        }
        if chosenSocket != nil, let file = FilePath(text: path), NamedFile.isSocket(file.bytes) == false {
            throw Failure(.noEngine, "\(file) exists and is not a socket")
        }
        return path
    }

    /// Like `socketPath`, for commands that can start an engine. Returns `nil` if the user chose no path and there is
    /// no usable default, because `XDG_RUNTIME_DIR` is not set or too long.
    func socketPathIfAny() throws(Failure) -> String? {
        do throws(Failure) {
            return try socketPath()
        } catch {
            guard chosenSocket == nil else { throw error }
            return nil
        }
    }
}

/// The option that selects the session of a command.
struct SessionOptions: ParsableArguments {
    /// Completes the ids of the sessions of the running engine.
    static let completion = CompletionKind.shellCommand("enginectl list 2>/dev/null | cut -c 3- | cut -d ' ' -f 1")

    @Option(help: ArgumentHelp("The session. Default: the one loaded last.", valueName: "id"), completion: completion)
    var session: String?

    func validate() throws { try requireText(session, "--session") }

    var id: SessionID? { session.map(SessionID.init(rawValue:)) }
}

/// Finds arguments that the parser would misread.
enum MisreadArguments {
    /// The only one of the arguments that a parser did not recognize; `nil` if there are none or several. A `--` that
    /// precedes a negative number is skipped, because the parser keeps it.
    static func single(_ arguments: [String]) -> String? {
        let rest = arguments.first == "--" ? arguments.dropFirst() : arguments[...]
        return rest.count == 1 ? rest.first : nil
    }

    /// The first argument that begins with one dash and is not an option: probably a file name. The parser would split
    /// it into single letters and read an `h` as `-h`.
    static func misleading(in arguments: [String]) -> String? {
        arguments.prefix { $0 != "--" }.first { argument in
            guard argument.count > 2, argument.first == "-" else { return false }
            // A second dash begins a long option; a digit or a dot begins a number or a time.
            return argument.dropFirst().first.map { $0 != "-" && $0 != "." && !$0.isNumber } ?? false
        }
    }
}
