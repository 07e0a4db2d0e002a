// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineClient

struct Stop: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "End a session; its URL stops working.")

    @OptionGroup var engine: EngineOptions
    @OptionGroup var session: SessionOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await reporting {
            let client = try await EngineAccess.connect(engine)
            try output.print(await client.stop(session.id))
        }
    }
}
