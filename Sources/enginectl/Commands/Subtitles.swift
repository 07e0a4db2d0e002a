// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineModel
internal import EngineClient
internal import EngineJSON

struct Subtitles: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List or select the subtitle tracks of a session, or add and remove subtitle files.",
        discussion: """
            For example: subtitles, subtitles 3, subtitles 3,4, subtitles de,en, subtitles auto, subtitles none,
            subtitles add film.en.srt --show, subtitles add https://example.org/film.srt, subtitles remove 100000
            """,
        subcommands: [SubtitlesSelect.self, SubtitlesAdd.self, SubtitlesRemove.self, SubtitlesRecognize.self],
        defaultSubcommand: SubtitlesSelect.self
    )
}

struct SubtitlesSelect: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "select",
        abstract: "List or select the subtitle tracks of a session; a star marks those shown."
    )

    @OptionGroup var engine: EngineOptions
    @OptionGroup var session: SessionOptions

    @Argument(help: ArgumentHelp(SubtitlesArgument.form, valueName: "tracks"))
    var tracks: SubtitlesArgument?

    @Flag(help: "As JSON.")
    var json = false

    func run() async throws {
        try await reporting {
            let client = try await EngineAccess.connect(engine)
            let state: SessionState
            if let tracks {
                try SubtitlesText(state: try await client.state(of: session.id)).require(tracks.selection)
                state = try await client.selectSubtitles(session.id, tracks.selection).state
            } else {
                state = try await client.state(of: session.id)
            }
            try SubtitlesText(state: state).write(asJSON: json)
        }
    }
}
