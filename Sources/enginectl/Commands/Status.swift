// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineRuntime
internal import EngineClient
internal import EngineJSON

struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Show the state of a session.")

    @OptionGroup var engine: EngineOptions
    @OptionGroup var session: SessionOptions

    @Flag(help: "The whole state as JSON.")
    var json = false

    func run() async throws {
        try await reporting {
            let client = try await EngineAccess.connect(engine)
            let state = try await client.state(of: session.id)
            if json {
                try Terminal.write(state.json().indentedText)
            } else {
                try Terminal.write(SessionText(state: state, now: monotonicNanoseconds()).lines)
            }
        }
    }
}
