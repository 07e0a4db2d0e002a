// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineModel
internal import EngineClient
internal import EngineJSON
internal import EngineRuntime

struct Path: AsyncParsableCommand {
    enum Choice: String, ExpressibleByArgument, CaseIterable {
        case remux, software, auto

        var path: PlaybackPath? { PlaybackPath(rawValue: rawValue) }
    }

    static let configuration = CommandConfiguration(
        abstract: "Show or select the playback path of a session.",
        discussion:
            "software: the engine decodes. remux: a player fetches and decodes. auto: depends on the source and the profile."
    )

    @OptionGroup var engine: EngineOptions
    @OptionGroup var session: SessionOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "remux, software or auto. Default: only show the path.")
    var choice: Choice?

    func run() async throws {
        try await reporting {
            let client = try await EngineAccess.connect(engine)
            if let choice {
                let result = try await client.selectPath(session.id, choice.path)
                try show(result.state, result.json)
            } else {
                let state = try await client.state(of: session.id)
                try show(state, state.json())
            }
        }
    }

    private func show(_ state: SessionState, _ json: JSON) throws {
        let text = SessionText(state: state, now: monotonicNanoseconds()).path
        try Terminal.write(output.json ? json.indentedText : text)
    }
}
