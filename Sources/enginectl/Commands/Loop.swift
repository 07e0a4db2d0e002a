// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineModel
internal import EngineClient

struct Loop: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Turn looping on or off."
    )

    @OptionGroup var engine: EngineOptions
    @OptionGroup var session: SessionOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "on or off.")
    var state = Switch.on

    func run() async throws {
        try await reporting {
            let client = try await EngineAccess.connect(engine)
            try output.print(await client.setLooping(session.id, state == .on))
        }
    }
}
