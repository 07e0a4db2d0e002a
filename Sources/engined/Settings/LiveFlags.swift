// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser

/// The command-line flags for sources that grow.
struct LiveFlags: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "How much of a live transport stream is kept, so that playback can go back: 3600 by default.",
            valueName: "seconds"
        )
    )
    var dvrWindow: String?

    @Option(
        help: ArgumentHelp(
            "How much of each live stream is kept on disk, 4G by default. Suffixes K, M, G. off keeps it in memory only.",
            valueName: "bytes"
        )
    )
    var dvrBytes: String?

    @Option(
        help: ArgumentHelp(
            "How sessions that are too far behind the live edge get closer to it: off (the default), skip, speed or precise.",
            valueName: "how"
        )
    )
    var liveChase: String?

    @Option(
        help: ArgumentHelp(
            "Seconds without a write after which a file no longer counts as a recording in progress, 10 by default.",
            valueName: "seconds"
        )
    )
    var recordingTimeout: String?

    var settings: [(Settings.Key, String?)] {
        [
            (.dvrWindow, dvrWindow), (.dvrBytes, dvrBytes), (.liveChase, liveChase),
            (.recordingTimeout, recordingTimeout),
        ]
    }
}
