// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineModel
internal import EngineRuntime
internal import EngineClient
internal import EngineJSON

struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List all sessions; a star marks the default for commands without --session."
    )

    @OptionGroup var engine: EngineOptions

    @Flag(help: "All states as JSON.")
    var json = false

    func run() async throws {
        try await reporting {
            let client = try await EngineAccess.connect(engine)
            let list = try await client.sessions()
            if json {
                return try Terminal.write(list.json.indentedText)
            }
            let lines = list.sessions.map { state in
                let line = SessionText(state: state, now: monotonicNanoseconds()).line
                return "\(state.id == list.defaultSession ? "*" : " ") \(line)"
            }
            try Terminal.write(lines, orNone: "the engine has no sessions")
        }
    }
}
