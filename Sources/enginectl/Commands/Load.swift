// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineModel
internal import EngineClient

struct Load: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Open a file, as a new session or in one that is there, and print the URL of its master playlist."
    )

    @OptionGroup var engine: EngineOptions
    @OptionGroup var arguments: LoadArguments

    @Option(help: ArgumentHelp("The session whose file it replaces; without it a new one.", valueName: "id"))
    var session: String?

    @Option(help: ArgumentHelp("A header for a source that is fetched over HTTP.", valueName: "name: value"))
    var header: [String] = []

    @OptionGroup var player: PlayerArguments

    @Option(help: ArgumentHelp("A load with an id that was answered before gets that answer again.", valueName: "id"))
    var requestID = ""

    @Flag(help: "The whole state as JSON.")
    var json = false

    func run() async throws {
        try await reporting {
            let client = try await EngineAccess.connect(engine)
            var request = arguments.request
            request.session = session.map(SessionID.init(rawValue:))
            request.requestID = requestID
            player.apply(to: &request.options)
            request.httpHeaders = try header.map(HeaderText.header)
            let state = try await client.load(request)
            Terminal.write(json ? state.json().indentedText : state.url)
        }
    }

    func validate() throws { try HeaderText.validate(header) }
}
