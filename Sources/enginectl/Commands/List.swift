// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineModel
internal import EngineRuntime
internal import EngineClient

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
                let document = JSON.object(
                    ("default_session", list.defaultSession.map { .string($0.rawValue) } ?? .null),
                    ("sessions", .array(list.sessions.map { $0.json() }))
                )
                return try Terminal.write(document.indentedText)
            }
            for state in list.sessions {
                let line = SessionText(state: state, now: monotonicNanoseconds()).line
                try Terminal.write("\(state.id == list.defaultSession ? "*" : " ") \(line)")
            }
        }
    }
}
