// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser

/// The command-line flags for state that outlives the process.
struct KeepingFlags: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Whether sessions are restored after a crash: on (the default), synced (also after a power loss) or off.",
            valueName: "on|synced|off"
        )
    )
    var journal: String?

    @Option(
        help: ArgumentHelp(
            "Whether the engine remembers where playback of each source ended: on (the default) or off.",
            valueName: "on|off"
        )
    )
    var history: String?

    @Option(
        help: ArgumentHelp(
            """
            Whether loads begin where playback of their source stopped, unless they say otherwise: on or off (the \
            default).
            """,
            valueName: "on|off"
        )
    )
    var resume: String?

    var settings: [(Settings.Key, String?)] {
        [(.journal, journal), (.history, history), (.resume, resume)]
    }
}
