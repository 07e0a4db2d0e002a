// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser

/// The command-line flags for the defaults of sessions, which a load request can override.
struct PlayerFlags: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Whether subtitle files beside a source are found by their names: on (the default) or off.",
            valueName: "on|off"
        )
    )
    var findSubtitles: String?

    @Option(help: ArgumentHelp("The allowed playback rates, 0:2 by default; at most 0:16.", valueName: "min:max"))
    var rateRange: String?

    @Option(help: Self.timeout("opening", 15))
    var timeoutOpening: String?

    @Option(
        help: ArgumentHelp(
            "Report a notice when a session is not played for longer than this; 0, the default, never.",
            valueName: "seconds"
        )
    )
    var timeoutReady: String?

    @Option(help: Self.timeout("buffering", 30))
    var timeoutBuffering: String?

    @Option(help: Self.timeout("play", 10))
    var timeoutPlay: String?

    @Option(help: Self.timeout("pausing", 10))
    var timeoutPausing: String?

    @Option(help: Self.timeout("stopping", 10))
    var timeoutStopping: String?

    @Option(help: Self.timeout("seeking", 20))
    var timeoutSeeking: String?

    private static func timeout(_ phase: String, _ seconds: Int) -> ArgumentHelp {
        ArgumentHelp(
            "Report a notice when the phase \(phase) lasts longer than this, \(seconds) by default; 0 for no limit.",
            valueName: "seconds"
        )
    }

    var settings: [(Settings.Key, String?)] {
        [
            (.findSubtitles, findSubtitles), (.rateRange, rateRange), (.timeoutOpening, timeoutOpening),
            (.timeoutReady, timeoutReady),
            (.timeoutBuffering, timeoutBuffering), (.timeoutPlay, timeoutPlay), (.timeoutPausing, timeoutPausing),
            (.timeoutStopping, timeoutStopping), (.timeoutSeeking, timeoutSeeking),
        ]
    }
}
