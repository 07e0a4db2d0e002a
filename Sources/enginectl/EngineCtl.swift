// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineModel

/// The reference client of `engined`. Each command is a file under `Commands`.
@main
struct EngineCtl: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enginectl",
        abstract: "Control and watch a media engine.",
        discussion: """
            The engine's socket is --socket, otherwise $ENGINED_SOCKET, otherwise $XDG_RUNTIME_DIR/engined/engined.sock.
            probe, validate, serve, play FILE, cues FILE, thumbnail, snapshot and contact-sheet start a temporary engine if none is running.

            Exit codes: 0 done; 1 the engine or the source failed; 2 validate found problems; 64 usage error; 69 no engine \
            running; 130 interrupted.

            Shell completions: enginectl --generate-completion-script bash|zsh|fish
            """,
        version: "enginectl \(ProductVersion.current)",
        subcommands: [
            Probe.self, Serve.self, Load.self, Play.self, Pause.self, Seek.self, Rate.self, Stop.self, Status.self,
            List.self, Watch.self, Tracks.self, Audio.self, SkipChapter.self, Volume.self, Mute.self, Loop.self,
            Path.self, Subtitles.self, Cues.self, Filters.self, Tap.self, Thumbnail.self, Snapshot.self,
            ContactSheet.self, Validate.self,
        ]
    )
}
