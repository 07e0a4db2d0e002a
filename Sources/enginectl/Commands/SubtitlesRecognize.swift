// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineClient
internal import EngineJSON
internal import EngineModel

struct SubtitlesRecognize: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recognize",
        abstract: "Read the text in a bitmap subtitle track, and add it to the session as a text track.",
        discussion: """
            Uses tesseract, with its data for the language of the track (Debian: tesseract-ocr, tesseract-ocr-deu, …). The \
            text is cached, so that the next call returns it at once.
            """
    )

    @OptionGroup var engine: EngineOptions
    @OptionGroup var session: SessionOptions

    @Argument(help: ArgumentHelp("The id of the track, as subtitles lists it.", valueName: "id"))
    var track: Int

    @Option(help: ArgumentHelp("The language of the text. Default: that of the track.", valueName: "language"))
    var language = ""

    @Flag(help: "Show the new track instead of the current ones.")
    var show = false

    @Flag(help: "As JSON.")
    var json = false

    func validate() throws { try requireText(language, "--language") }

    func run() async throws {
        try await reporting {
            let client = try await EngineAccess.connect(engine)
            var request = RecognitionRequest(session: session.id, track: track)
            (request.language, request.isShown) = (language, show)
            var progress = ReadingProgress(isTerminal: Terminal.isErrorTerminal)
            defer { progress.end() }
            try await client.recognizeSubtitles(request) { progress.show($0.progress) }
            progress.end()
            try SubtitlesText(state: try await client.state(of: session.id)).write(asJSON: json)
        }
    }
}
