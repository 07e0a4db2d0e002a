// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineClient
internal import EngineModel
internal import EngineJSON

struct Variants: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the variants of an HLS source or of a session; a star marks the one that is played."
    )

    @OptionGroup var engine: EngineOptions
    @OptionGroup var session: SessionOptions

    @Argument(help: "The playlist. Default: the source of a session.", completion: .file())
    var file: String?

    @OptionGroup var routes: RouteArguments
    @OptionGroup var choice: VariantArguments
    @OptionGroup(title: "Sources on servers") var http: HTTPArguments

    @Flag(help: "As JSON.")
    var json = false

    func validate() throws {
        if file != nil, session.session != nil { throw ValidationError("--session cannot be used with a file.") }
    }

    func run() async throws {
        try await reporting {
            guard let file else {
                let state = try await EngineAccess.connect(engine).state(of: session.id)
                return try VariantsText(variants: state.media?.variants ?? []).write(asJSON: json)
            }
            var options = routes.options
            options.variants = choice.selection
            options.findsSubtitles = false
            let (source, http) = (FileArgument.source(file), try http.options())
            try await withEngine(engine, startingAt: .hidden) { [json, options] engine in
                let media = try await engine.client.probe(source, http: http, options: options)
                try VariantsText(variants: media.variants).write(asJSON: json)
            }
        }
    }
}
