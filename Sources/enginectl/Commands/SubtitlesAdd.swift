// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineModel
internal import EngineClient
internal import EngineJSON

struct SubtitlesAdd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add a subtitle file to a session.",
        discussion:
            "SubRip, ASS, SSA, WebVTT, MicroDVD, SubViewer, PGS (.sup), or VobSub (.idx with its .sub beside it)."
    )

    @OptionGroup var engine: EngineOptions
    @OptionGroup var session: SessionOptions

    @Argument(help: ArgumentHelp("A file, or its URL on a server.", valueName: "place"), completion: .file())
    var place: String

    @OptionGroup var reading: SidecarArguments

    @Option(help: ArgumentHelp("Default: from the file or its name, e.g. film.en.srt.", valueName: "language"))
    var language = ""

    @Option(help: "The title.")
    var title = ""

    @Flag(help: "Show it instead of the current tracks.")
    var show = false

    @Flag(help: "As JSON.")
    var json = false

    func validate() throws {
        try requireText(language, "--language")
        try requireText(title, "--title")
    }

    func run() async throws {
        try await reporting {
            let client = try await EngineAccess.connect(engine)
            var sidecar = Sidecar(path: FileArgument.source(place))
            sidecar.charset = reading.charset
            sidecar.httpHeaders = try reading.headers()
            (sidecar.language, sidecar.title, sidecar.isShown) = (language, title, show)
            let state = try await client.addSubtitles(session.id, sidecar).state
            try SubtitlesText(state: state).write(asJSON: json)
        }
    }
}

struct SubtitlesRemove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a subtitle file and all its tracks from a session."
    )

    @OptionGroup var engine: EngineOptions
    @OptionGroup var session: SessionOptions

    @Argument(help: ArgumentHelp("The id of one of its tracks.", valueName: "id"))
    var track: Int

    @Flag(help: "As JSON.")
    var json = false

    func validate() throws {
        guard (0..<1 << 31).contains(track) else { throw ValidationError("A track id must be a number of 0 or more.") }
    }

    func run() async throws {
        try await reporting {
            let client = try await EngineAccess.connect(engine)
            let state = try await client.removeSubtitles(session.id, track: track).state
            try SubtitlesText(state: state).write(asJSON: json)
        }
    }
}
