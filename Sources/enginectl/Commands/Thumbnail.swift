// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineModel
internal import EngineClient

struct Thumbnail: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Save the keyframe at or before a time, 320 pixels wide.",
        discussion: "For example: thumbnail film.mkv --at 1:02:03 -o film.jpg"
    )

    @OptionGroup var engine: EngineOptions
    @OptionGroup var moment: StillMoment

    func run() async throws { try await moment.save(.thumbnail, engine) }
}

struct Snapshot: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Save the exact frame shown at a time.",
        discussion: "For example: snapshot film.mkv --at 90.5 -o film.png"
    )

    @OptionGroup var engine: EngineOptions
    @OptionGroup var moment: StillMoment

    func run() async throws { try await moment.save(.snapshot, engine) }
}

/// A time in the source, and the output file for its still.
struct StillMoment: ParsableArguments {
    @Argument(help: ArgumentHelp(StillArguments.places, valueName: "source"), completion: .file())
    var source: String

    @Option(help: ArgumentHelp("Seconds or [HH:]MM:SS[.fff].", valueName: "time"))
    var at: TimeArgument

    @OptionGroup var still: StillArguments

    func validate() throws {
        if at.isRelative { throw ValidationError("--at must be an absolute time.") }
    }

    func save(_ kind: StillRequest.Kind, _ engine: EngineOptions) async throws {
        try await reporting {
            let request = StillRequest(
                kind,
                of: try StillTarget.source(source, still),
                at: at.time,
                style: still.style
            )
            try await withEngine(engine, startingAt: .hidden) { [still] engine in
                let made = try await engine.client.still(request)
                try still.write(made)
                try still.report(made, StillText(still: made).line)
            }
        }
    }
}
