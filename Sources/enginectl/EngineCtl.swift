// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineModel
internal import EngineRuntime
internal import Glibc

/// The reference client of `engined`. Each command is a file under `Commands`.
@main
struct EngineCtl: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enginectl",
        abstract: "Control and watch a media engine.",
        discussion: """
            The engine's socket is --socket, otherwise $ENGINED_SOCKET, otherwise $XDG_RUNTIME_DIR/engined/engined.sock.
            probe, titles, programs FILE, variants FILE, validate, serve, play FILE, tui, cues FILE, draw FILE, loudness FILE, \
            thumbnail, snapshot, contact-sheet and web start a temporary engine if none is running.

            Exit codes: 0 done; 1 the engine, the source or a write failed; 2 validate found problems; 64 usage error; 69 no engine \
            running; 130 interrupted.

            Shell completions: enginectl --generate-completion-script bash|zsh|fish
            """,
        version: "enginectl \(ProductVersion.current)",
        subcommands: [
            Probe.self, Titles.self, Channels.self, Serve.self, Load.self, Play.self, TUI.self, Pause.self, Seek.self,
            Rate.self,
            Stop.self, Status.self, List.self, History.self, Cache.self, Watch.self, Top.self, Programs.self,
            Tracks.self,
            Variants.self, Audio.self,
            SkipChapter.self,
            Refresh.self, Record.self,
            Volume.self,
            Mute.self,
            Loop.self, ABLoop.self, Step.self, Delay.self,
            Path.self, Subtitles.self, Cues.self, Draw.self, Filters.self, Tap.self, MeasureLoudness.self,
            Thumbnail.self, Snapshot.self,
            ContactSheet.self, Validate.self, Web.self,
        ]
    )

    // Declared here too, so that --socket may also come before the subcommand, whose own options inherit it.
    @OptionGroup var engine: EngineOptions

    /// Replaces the parser's own entry, which ignores a failure to write help, the version or a completion script.
    static func main() async {
        Terminal.prepare()
        do {
            let bytes = ProcessNames.arguments
            for (index, secret) in SecretArguments.secrets(in: bytes).enumerated() {
                if let secret { ProcessNames.hide(secret, ofArgument: index) }
            }
            let arguments = bytes.map { ByteText.text(of: $0) }
            if let argument = MisreadArguments.misleading(in: arguments) {
                throw ValidationError("\(argument) is not an option. For a file of that name, write ./\(argument)")
            }
            var command = try parseAsRoot(arguments)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            // The message may repeat an argument.
            let message = String(decoding: ByteText.bytes(of: fullMessage(for: error)), as: UTF8.self)
            exit(withCode: exitCode(for: error), message)
        }
    }

    private static func exit(withCode code: ExitCode, _ message: String) -> Never {
        do throws(Failure) {
            if code.isSuccess, !message.isEmpty {
                try Terminal.write(message)
            } else if !message.isEmpty {
                Terminal.writeError(message)
            }
            Glibc.exit(code.rawValue)
        } catch {
            if !error.message.isEmpty { Terminal.writeError("enginectl: \(error.message)") }
            Glibc.exit(error.status.rawValue)
        }
    }
}
