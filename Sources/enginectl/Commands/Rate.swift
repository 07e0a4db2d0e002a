// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineClient
internal import EngineModel

struct Rate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Set the playback rate of a session.")

    @OptionGroup var engine: EngineOptions
    @OptionGroup var session: SessionOptions
    @OptionGroup var output: OutputOptions

    // Unrecognized, because `-1` looks like an option.
    @Argument(
        parsing: .allUnrecognized,
        help: ArgumentHelp(
            "0 to 2, unless the engine or the load sets another range; 1 is normal speed.",
            valueName: "rate"
        )
    )
    var rate: [String]

    func validate() throws {
        guard Self.number(rate) != nil else { throw ValidationError("The rate must be a number.") }
    }

    /// `nil` if the arguments are not one number. The engine clamps it to the allowed range.
    static func number(_ arguments: [String]) -> Double? {
        MisreadArguments.single(arguments).flatMap { Double($0) }.flatMap { $0.isFinite ? $0 : nil }
    }

    func run() async throws {
        try await reporting {
            guard let rate = Self.number(rate) else { return }
            let client = try await EngineAccess.connect(engine)
            try output.print(await client.setRate(session.id, rate)) {
                Words.clamped("rate", $0.position.requestedRate, to: $0.rateRange)
            }
        }
    }
}
