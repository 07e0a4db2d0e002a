// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineModel
internal import EngineClient

struct Step: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Pause, and show the next or the previous frame.",
        discussion: "For example: step, step previous, step next --count 10"
    )

    enum Direction: String, CaseIterable, ExpressibleByArgument { case next, previous }

    @OptionGroup var engine: EngineOptions
    @OptionGroup var session: SessionOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "next or previous.")
    var direction = Direction.next

    @Option(help: ArgumentHelp("How many frames, 1 … 100.", valueName: "frames"))
    var count = 1

    func validate() throws {
        guard (1...100).contains(count) else { throw ValidationError("--count must be 1 … 100.") }
    }

    func run() async throws {
        try await reporting {
            let client = try await EngineAccess.connect(engine)
            try output.print(await client.stepFrame(session.id, by: direction == .next ? count : -count)) { _ in
                "(clamped to the \(direction == .next ? "last" : "first") frame)"
            }
        }
    }
}
