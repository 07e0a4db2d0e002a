// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineModel
internal import IPC

struct Load: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Open a file as a new session and print the URL of its master playlist."
    )

    @OptionGroup var engine: EngineOptions
    @OptionGroup var arguments: LoadArguments

    @Flag(help: "The whole state as JSON.")
    var json = false

    func run() async throws {
        try await reporting {
            let client = try await EngineAccess.connect(engine)
            let state = try await client.load(arguments.request)
            Terminal.write(json ? state.json().indentedText : state.url)
        }
    }
}
