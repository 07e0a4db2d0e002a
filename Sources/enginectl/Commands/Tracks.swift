// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineClient
internal import EngineJSON

struct Tracks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the video and audio tracks of a session; a star marks the default audio track."
    )

    @OptionGroup var engine: EngineOptions
    @OptionGroup var session: SessionOptions

    @Flag(help: "As JSON.")
    var json = false

    func run() async throws {
        try await reporting {
            let client = try await EngineAccess.connect(engine)
            let text = TracksText(state: try await client.state(of: session.id))
            try text.write(asJSON: json)
        }
    }
}
