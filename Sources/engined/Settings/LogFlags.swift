// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser

/// The command-line flags for the log.
struct LogFlags: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The minimum log level: trace, debug, info (the default), notice, warning, error, critical.",
            valueName: "level"
        )
    )
    var logLevel: String?

    @Option(help: ArgumentHelp("The log format on stderr: text (the default) or json.", valueName: "format"))
    var logFormat: String?

    var settings: [(Settings.Key, String?)] {
        [(.logLevel, logLevel), (.logFormat, logFormat)]
    }
}
