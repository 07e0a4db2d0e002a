// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineClient
internal import EngineJSON

struct Titles: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the titles of a disc; a star marks the main one, which is played unless --title names another."
    )

    @OptionGroup var engine: EngineOptions

    @Argument(help: "The disc: its folder, or an image of it.", completion: .file())
    var file: String

    @OptionGroup(title: "Sources on servers") var http: HTTPArguments

    @Flag(help: "As JSON; the schema is in docs/enginectl.md.")
    var json = false

    func run() async throws {
        try await reporting {
            let source = FileArgument.source(file)
            let http = try http.options()
            try await withEngine(engine, startingAt: .hidden) { [json] engine in
                let media = try await engine.client.probe(source, http: http)
                let text = TitlesText(media: media)
                try text.requireDisc()
                if json { return try Terminal.write(text.json.indentedText) }
                try Terminal.write(text.lines)
            }
        }
    }
}
