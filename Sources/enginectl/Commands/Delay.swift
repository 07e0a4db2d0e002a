// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineModel
internal import EngineClient

struct Delay: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shift audio or subtitles relative to the timestamps of the source.",
        discussion: """
            For example: delay audio 0.25, delay subtitles -1.5, delay subtitles 100ms --by, delay audio 0. Players that \
            fetch HLS follow when they load the session's URL again.
            """
    )

    enum Medium: String, CaseIterable, ExpressibleByArgument { case audio, subtitles }

    @OptionGroup var engine: EngineOptions
    @OptionGroup var session: SessionOptions
    @OptionGroup var output: OutputOptions

    @Flag(help: "Add the time to the current delay.")
    var by = false

    @Argument(help: "audio or subtitles.")
    var medium: Medium

    // Unrecognized, because `-1.5` looks like an option.
    @Argument(
        parsing: .allUnrecognized,
        help: ArgumentHelp("\(DelayArgument.form); later, or earlier if negative.", valueName: "time")
    )
    var time: [String]

    func validate() throws {
        guard delay != nil else { throw ValidationError("The time must be \(DelayArgument.form).") }
    }

    private var delay: MediaTime? { MisreadArguments.single(time).flatMap(DelayArgument.time) }

    func run() async throws {
        try await reporting {
            guard let delay else { return }
            let client = try await EngineAccess.connect(engine)
            let before = by ? try await client.state(of: session.id).delays : Delays()
            let command: PlayerCommand =
                switch medium {
                case .audio: .setAudioDelay(before.audio + delay)
                case .subtitles: .setSubtitleDelay(before.subtitles + delay)
                }
            try output.print(await client.perform(session.id, .player(command))) { state in
                let (name, delay, range) =
                    switch medium {
                    case .audio: ("audio delay", state.delays.audio, Delays.audioRange)
                    case .subtitles: ("subtitle delay", state.delays.subtitles, Delays.subtitleRange)
                    }
                let seconds = range.lowerBound.seconds...range.upperBound.seconds
                return Words.clamped(name, delay.seconds, to: seconds, unit: " s")
            }
        }
    }
}

/// A delay in seconds or milliseconds, such as `0.25`, `-1.5`, `+100ms`.
enum DelayArgument {
    static let form = "seconds such as 0.25, or milliseconds such as 250ms"

    /// `nil` for any other text.
    static func time(_ text: String) -> MediaTime? {
        let isMilliseconds = text.hasSuffix("ms")
        let number = isMilliseconds ? text.dropLast(2) : text[...]
        guard number.utf8.allSatisfy({ (0x30...0x39).contains($0) || [0x2B, 0x2D, 0x2E].contains($0) }),
            let value = Double(number), abs(value) <= 1e9
        else { return nil }
        return .seconds(isMilliseconds ? value / 1000 : value)
    }
}
