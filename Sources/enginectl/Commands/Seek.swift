// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineModel
internal import EngineClient

struct Seek: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Move the playhead.",
        discussion: "For example: seek 90, seek 1:02:03.5, seek +10, seek -0:30, seek begin, seek end --pause"
    )

    @OptionGroup var engine: EngineOptions
    @OptionGroup var session: SessionOptions

    @Flag(help: "Seek to the keyframe at or before the time, which is faster.")
    var keyframe = false

    @Flag(help: "Play from there.")
    var play = false

    @Flag(help: "Pause there.")
    var pause = false

    // Unrecognized, because `-10` looks like an option.
    @Argument(parsing: .allUnrecognized, help: ArgumentHelp("\(TimeArgument.form), begin or end.", valueName: "time"))
    var time: [String]

    func validate() throws {
        guard target != nil else { throw ValidationError("The time must be \(TimeArgument.form), begin or end.") }
        if play, pause { throw ValidationError("--play and --pause exclude each other.") }
    }

    private var target: SeekCommand.Target? {
        guard time.count == 1 else { return nil }
        switch time[0] {
        case "begin": return .begin
        case "end": return .end
        default:
            return TimeArgument(argument: time[0]).map { $0.isRelative ? .relative($0.time) : .position($0.time) }
        }
    }

    func run() async throws {
        try await reporting {
            guard let target else { return }
            let client = try await EngineAccess.connect(engine)
            let mode: SeekCommand.Mode = keyframe ? .keyframe : .exact
            let thenPlay: Bool? = play ? true : pause ? false : nil
            try print(await client.seek(session.id, target, mode: mode, thenPlay: thenPlay))
        }
    }
}
