// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineClient

struct Rate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Set how fast a session plays.")

    @OptionGroup var engine: EngineOptions
    @OptionGroup var session: SessionOptions

    @Argument(help: "0 to 2, unless the engine or the load says otherwise; 1 is as it was made.")
    var rate: Double

    func validate() throws {
        guard rate.isFinite, rate >= 0 else { throw ValidationError("A rate is a number of 0 or more.") }
    }

    func run() async throws {
        try await reporting {
            let client = try await EngineAccess.connect(engine)
            print(try await client.setRate(session.id, rate))
        }
    }
}
