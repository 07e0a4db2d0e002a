// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineClient
internal import EngineJSON

struct Probe: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show what a file contains and how each stream would be served."
    )

    @OptionGroup var engine: EngineOptions

    @Argument(help: "The file to probe.", completion: .file())
    var file: String

    @OptionGroup var routes: RouteArguments
    @OptionGroup var variants: VariantArguments
    @OptionGroup var finding: FindingArguments
    @OptionGroup var disc: TitleArguments
    @OptionGroup(title: "Sources on servers") var http: HTTPArguments

    @Flag(help: "As JSON; the schema is in docs/enginectl.md.")
    var json = false

    func run() async throws {
        try await reporting {
            let source = FileArgument.source(file)
            var options = routes.options
            options.variants = variants.selection
            options.findsSubtitles = finding.findSubtitles
            disc.apply(to: &options)
            let http = try http.options()
            try await withEngine(engine, startingAt: .hidden) { [json, options] engine in
                let media = try await engine.client.probe(source, http: http, options: options)
                if options.title != nil { try TitlesText(media: media).requireDisc() }
                if json {
                    try Terminal.write(media.json.indentedText)
                } else {
                    try Terminal.write(ProbeText(media: media).lines)
                }
            }
        }
    }
}
