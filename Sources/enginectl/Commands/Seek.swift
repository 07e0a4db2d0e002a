// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineModel
internal import IPC

struct Seek: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Move the playhead.",
        discussion: "For example: seek 90, seek 1:02:03.5, seek +10, seek -0:30"
    )

    @OptionGroup var engine: EngineOptions
    @OptionGroup var session: SessionOptions

    // Unrecognized, because `-10` looks like an option.
    @Argument(parsing: .allUnrecognized, help: ArgumentHelp("\(TimeArgument.form).", valueName: "time"))
    var time: [String]

    func validate() throws {
        guard time.count == 1, TimeArgument(argument: time[0]) != nil else {
            throw ValidationError("A time is \(TimeArgument.form).")
        }
    }

    func run() async throws {
        try await reporting {
            guard let target = time.first.flatMap(TimeArgument.init(argument:)) else { return }
            let client = try await EngineAccess.connect(engine)
            print(try await client.seek(session.id, to: target.time, isRelative: target.isRelative))
        }
    }
}
