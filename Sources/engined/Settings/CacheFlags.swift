// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser

/// The command-line flags for the memory and the disk space that sources and segments may take.
struct CacheFlags: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Memory for cached segments of all sessions, by default 512M or a quarter of what it can have. Suffixes K, M, G.",
            valueName: "bytes"
        )
    )
    var cacheBytes: String?

    @Option(
        help: ArgumentHelp(
            "Disk space for what was fetched of sources on servers, 1G by default; off keeps it in memory only.",
            valueName: "bytes|off"
        )
    )
    var cacheDiskBytes: String?

    @Option(
        help: ArgumentHelp(
            "Where that is kept, instead of engined/ranges in the user's cache directory.",
            valueName: "path"
        )
    )
    var cacheDiskDirectory: String?

    @Option(
        help: ArgumentHelp(
            "Memory for each source whose server does not support ranges, 256M by default. Suffixes K, M, G.",
            valueName: "bytes"
        )
    )
    var windowBytes: String?

    var settings: [(Settings.Key, String?)] {
        [
            (.cacheBytes, cacheBytes), (.cacheDiskBytes, cacheDiskBytes),
            (.cacheDiskDirectory, cacheDiskDirectory), (.windowBytes, windowBytes),
        ]
    }
}
