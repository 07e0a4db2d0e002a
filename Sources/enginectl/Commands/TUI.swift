// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineClient
internal import EngineModel

struct TUI: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tui",
        abstract:
            "Play a file on the whole terminal, with its picture, timeline, chapters and subtitles, and the keys of mpv.",
        discussion: """
            The picture is drawn with kitty's graphics protocol where the terminal has it, and otherwise with coloured half blocks. \
            Without a terminal, does what play FILE does.
            """
    )

    @OptionGroup var engine: EngineOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "The file to play.", completion: .file())
    var file: String

    @Option(help: ArgumentHelp(SinkArgument.form, valueName: "sink"))
    var sink: SinkArgument?

    @OptionGroup var settings: LoadSettings

    func run() async throws {
        let isScreen = Terminal.isOutputTerminal && !output.json
        let playback = FilePlayback(
            output: sink?.output ?? .device(""),
            isRealTime: true,
            isJSON: output.json,
            isScreen: isScreen,
            measures: settings.measure
        )
        try await reporting(naming: ["name": "--sink"]) {
            let request = try settings.request(for: file)
            do {
                try await withEngine(engine, startingAt: .usual) { engine in
                    try await playback.play(request, on: engine.client)
                }
            } catch let failure as Failure where failure.status == .interrupted {
                // Interruption is a normal way to end playback.
            }
        }
    }
}
