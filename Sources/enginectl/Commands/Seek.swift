// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineModel
internal import EngineClient

struct Seek: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Move the playhead.",
        discussion:
            "For example: seek 90, seek 1:02:03.5, seek +10, seek -0:30, seek 50%, seek begin, seek end --pause, seek live"
    )

    @OptionGroup var engine: EngineOptions
    @OptionGroup var session: SessionOptions
    @OptionGroup var output: OutputOptions

    @Flag(help: "Seek to the keyframe at or before the time, which is faster.")
    var keyframe = false

    @Flag(help: "Play from there.")
    var play = false

    @Flag(help: "Pause there.")
    var pause = false

    // Unrecognized, because `-10` looks like an option.
    @Argument(parsing: .allUnrecognized, help: ArgumentHelp("\(SeekArgument.form).", valueName: "time"))
    var time: [String]

    func validate() throws {
        guard place != nil else {
            let text = MisreadArguments.single(time) ?? time.joined(separator: " ")
            throw ValidationError("\"\(text)\" is not a time. Examples: 90, 12:03, +10, 50%, begin, live")
        }
        if play, pause { throw ValidationError("--play and --pause cannot be used together.") }
    }

    private var place: SeekArgument? { MisreadArguments.single(time).flatMap { SeekArgument($0) } }

    private func target(_ place: SeekArgument, _ client: EngineClient) async throws -> SeekCommand.Target {
        switch place {
        case .target(let target): return target
        case .fraction(let fraction):
            guard let duration = try await client.state(of: session.id).duration else {
                throw Failure(.failed, "the duration is not known yet")
            }
            return .position(.seconds(Double(duration.microseconds) / 1_000_000 * fraction))
        }
    }

    func run() async throws {
        try await reporting {
            guard let place else { return }
            let client = try await EngineAccess.connect(engine)
            let target = try await target(place, client)
            let mode: SeekCommand.Mode = keyframe ? .keyframe : .exact
            let thenPlay: Bool? = play ? true : pause ? false : nil
            try output.print(
                await client.seek(session.id, target, mode: mode, thenPlay: thenPlay),
                clamped: \.clampedPosition
            )
        }
    }
}

extension SessionState {
    /// After a seek that was clamped: where it went, and the positions that can be reached.
    var clampedPosition: String {
        let first = live == nil ? .zero : seekable.first?.start ?? .zero
        let last = duration ?? seekable.last?.end ?? position.position
        return "position \(Words.time(position.position)) (clamped to \(Words.time(first))…\(Words.time(last)))"
    }
}
