// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineClient
internal import EngineModel
internal import EngineJSON
internal import EngineRuntime

struct Refresh: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Continue a session's source from another URL or with other headers, e.g. because a signature expired.",
        discussion: """
            The source must be the same: the engine compares its length and entity tag with those that the server \
            states. All sessions that share the source continue with it.
            """
    )

    @OptionGroup var engine: EngineOptions
    @OptionGroup var session: SessionOptions

    @Argument(help: ArgumentHelp("The new URL. Default: the one in use.", valueName: "url"))
    var url: String?

    @Option(help: ArgumentHelp("A request header. Any replaces all headers of the load.", valueName: "name: value"))
    var header: [String] = []

    @OptionGroup(title: "Connection; one of these options replaces all of those of the load") var connection:
        HTTPConnectionArguments

    @Flag(help: "The whole state as JSON.")
    var json = false

    func run() async throws {
        try await reporting(naming: ["url": "\"\(ShownURL.text(of: url ?? ""))\""]) {
            let client = try await EngineAccess.connect(engine)
            let options = try connection.options()
            var refresh = SourceRefresh()
            refresh.url = url
            refresh.headers = header.isEmpty ? nil : try header.map(HeaderText.header)
            refresh.connection = options == HTTPConnectionOptions() ? nil : options
            let result = try await client.refreshSource(session.id, refresh)
            let text = SessionText(state: result.state, now: monotonicNanoseconds()).line
            try Terminal.write(json ? result.json.indentedText : text)
        }
    }

    func validate() throws { try HeaderText.validate(header) }
}
