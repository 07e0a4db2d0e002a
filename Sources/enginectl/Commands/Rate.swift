// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineClient
internal import EngineModel

struct Rate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Set the playback rate of a session.")

    @OptionGroup var engine: EngineOptions
    @OptionGroup var session: SessionOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "0 to 2, unless the engine or the load sets another range; 1 is normal speed.")
    var rate: Double

    func validate() throws {
        guard rate.isFinite, rate >= 0 else { throw ValidationError("The rate must be a number of 0 or more.") }
    }

    func run() async throws {
        try await reporting {
            let client = try await EngineAccess.connect(engine)
            try output.print(await client.setRate(session.id, rate)) {
                Words.clamped("rate", $0.position.requestedRate, to: $0.rateRange)
            }
        }
    }
}
