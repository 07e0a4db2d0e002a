// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineClient
internal import EngineModel
internal import EngineRuntime

struct Refresh: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Go on with a session's source from another URL or with other headers, e.g. because a signature expired.",
        discussion: "The source must be the same: its length and entity tag are compared."
    )

    @OptionGroup var engine: EngineOptions
    @OptionGroup var session: SessionOptions

    @Argument(help: ArgumentHelp("An http: or https: URL. Default: the one in use.", valueName: "url"))
    var url: String?

    @Option(help: ArgumentHelp("A request header. Any replaces all headers of the load.", valueName: "name: value"))
    var header: [String] = []

    @Flag(help: "The whole state as JSON.")
    var json = false

    func run() async throws {
        try await reporting {
            let client = try await EngineAccess.connect(engine)
            let headers = try header.map(HeaderText.header)
            let state = try await client.refreshSource(
                session.id,
                url: url,
                headers: headers.isEmpty ? nil : headers
            ).state
            try Terminal.write(
                json ? state.json().indentedText : SessionText(state: state, now: monotonicNanoseconds()).line
            )
        }
    }

    func validate() throws { try HeaderText.validate(header) }
}
