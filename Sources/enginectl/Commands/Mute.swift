// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineModel
internal import EngineClient

struct Mute: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Mute or unmute the renderer."
    )

    @OptionGroup var engine: EngineOptions
    @OptionGroup var session: SessionOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "on or off.")
    var state = Switch.on

    func run() async throws {
        try await reporting {
            let client = try await EngineAccess.connect(engine)
            try output.print(await client.setMuted(session.id, state == .on))
        }
    }
}
