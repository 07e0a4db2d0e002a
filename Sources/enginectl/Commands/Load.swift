// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineModel
internal import EngineClient
internal import EngineJSON
internal import EngineRuntime
internal import Glibc

struct Load: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Open a file in a new or existing session and print the URL of its master playlist."
    )

    @OptionGroup var engine: EngineOptions
    @OptionGroup var arguments: LoadArguments

    @Option(
        help: ArgumentHelp("The session whose file is replaced. Default: a new session.", valueName: "id"),
        completion: SessionOptions.completion
    )
    var session: String?

    @OptionGroup var player: PlayerArguments

    @Option(help: ArgumentHelp("A unique id; a repeated load with this id returns the first result.", valueName: "id"))
    var requestID = ""

    @Flag(help: "The whole state as JSON.")
    var json = false

    func validate() throws {
        try requireText(session, "--session")
        try requireText(requestID, "--request-id")
    }

    func run() async throws {
        try await reporting {
            let client = try await EngineAccess.connect(engine)
            var request = try arguments.request()
            guard !request.source.hasPrefix("/proc/\(getpid())/") else {
                throw Failure(
                    .failed,
                    "the working directory has no path, so the session could not read the file after this command ends"
                )
            }
            request.session = session.map(SessionID.init(rawValue:))
            request.requestID = requestID
            player.apply(to: &request.options)
            let load = CheckedLoad(client: client, measures: arguments.settings.measure)
            // An interrupted command leaves no session behind.
            let state = try await Interruption().run { [request] in try await load.load(request) }
            guard let state else { throw Failure(.interrupted, "") }
            try SessionText(state: state, now: monotonicNanoseconds()).writeURL(
                orJSON: json ? state.json().indentedText : nil
            )
        }
    }
}
