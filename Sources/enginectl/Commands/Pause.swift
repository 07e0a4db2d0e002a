// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineClient

struct Pause: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Pause playback.")

    @OptionGroup var engine: EngineOptions
    @OptionGroup var session: SessionOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await reporting {
            let client = try await EngineAccess.connect(engine)
            try output.print(await client.pause(session.id))
        }
    }
}
