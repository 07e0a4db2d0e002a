// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineModel
internal import EngineClient

struct ABLoop: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ab-loop",
        abstract: "Repeat a part of the timeline.",
        discussion: "For example: ab-loop 1:00 1:30, ab-loop off"
    )

    @OptionGroup var engine: EngineOptions
    @OptionGroup var session: SessionOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: ArgumentHelp("The start and the end, in seconds or [HH:]MM:SS[.fff]; or off.", valueName: "time"))
    var times: [String]

    func validate() throws {
        guard points != nil else {
            throw ValidationError(
                "Give the start and the end, in seconds or [HH:]MM:SS[.fff], the end at least 0.1 seconds later; or off."
            )
        }
    }

    /// The outer optional is `nil` unless the arguments are two times in order or `off`; the inner one is `nil` for
    /// `off`.
    private var points: LoopPoints?? {
        if times == ["off"] { return .some(nil) }
        let times = times.compactMap { TimeArgument(argument: $0) }.filter { !$0.isRelative }.map(\.time)
        guard self.times.count == 2, times.count == 2 else { return nil }
        return LoopPoints(start: times[0], end: times[1]).map { .some($0) }
    }

    func run() async throws {
        try await reporting(naming: ["loop_points.start_us": times[0], "loop_points.end_us": times.last ?? ""]) {
            guard let points else { return }
            let client = try await EngineAccess.connect(engine)
            try output.print(await client.perform(session.id, .player(.setLoopPoints(points)))) { state in
                "end \(Words.time(state.loopPoints?.end ?? .zero)) (clamped to the end of the source)"
            }
        }
    }
}
