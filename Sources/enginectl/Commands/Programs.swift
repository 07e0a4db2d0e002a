// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineClient
internal import EngineModel
internal import EngineJSON
internal import EngineRuntime

struct Programs: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the programs of a transport stream, or play another one; a star marks the one that is played.",
        discussion: """
            With a file, its programs are listed. Without one, those of a session are; --select then plays another one in the \
            same session, from the same position, under another URL.
            """
    )

    @OptionGroup var engine: EngineOptions
    @OptionGroup var session: SessionOptions

    @Argument(help: "A transport stream. Default: the source of the session.", completion: .file())
    var file: String?

    @Option(help: ArgumentHelp("The program to play in the session: its number or its name.", valueName: "program"))
    var select: ProgramArgument?

    @OptionGroup(title: "Sources on servers") var http: HTTPArguments

    @Flag(help: "As JSON; the schema is in docs/enginectl.md.")
    var json = false

    func validate() throws {
        if file != nil, session.session != nil { throw ValidationError("--session cannot be used with a file.") }
        if file != nil, select != nil { throw ValidationError("--select requires a session; see load --program.") }
    }

    func run() async throws {
        try await reporting {
            guard let file else {
                let client = try await EngineAccess.connect(engine)
                let state =
                    if let select {
                        try await client.selectProgram(session.id, select.selection).state
                    } else {
                        try await client.state(of: session.id)
                    }
                guard let media = state.media else { throw Failure(.failed, "the source of the session is not open") }
                return try show(media, state.guide)
            }
            let options = try http.options()
            try await withEngine(engine, startingAt: .hidden) { engine in
                try show(try await engine.client.probe(FileArgument.source(file), http: options))
            }
        }
    }

    private func show(_ media: MediaDescription, _ guide: [ProgramGuide]? = nil) throws {
        let text = ProgramsText(media: media, guide: guide)
        if json {
            try Terminal.write(text.json.indentedText)
        } else {
            try Terminal.write(text.lines, orNone: "the source has no programs")
        }
    }
}
