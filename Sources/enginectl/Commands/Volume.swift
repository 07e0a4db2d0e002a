// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineModel
internal import EngineClient

struct Volume: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Set the volume of the renderer."
    )

    @OptionGroup var engine: EngineOptions
    @OptionGroup var session: SessionOptions

    @Argument(help: "0 to 1.")
    var volume: Double

    func validate() throws {
        guard !volume.isNaN else { throw ValidationError("The volume must be a number from 0 to 1.") }
    }

    func run() async throws {
        try await reporting {
            let client = try await EngineAccess.connect(engine)
            try print(await client.setVolume(session.id, volume))
        }
    }
}
