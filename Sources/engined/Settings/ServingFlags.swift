// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser

/// The command-line flags for the addresses to which clients connect, and for the number of sessions they may load.
struct ServingFlags: ParsableArguments {
    @Option(help: ArgumentHelp("The control socket.", discussion: "Default: $XDG_RUNTIME_DIR/engined/engined.sock."))
    var socket: String?

    @Option(help: ArgumentHelp("The port for HLS. 0, the default, lets the system choose one.", valueName: "port"))
    var httpPort: String?

    @Option(
        help: ArgumentHelp(
            "The address for HLS, 127.0.0.1 by default. Any other than loopback admits other machines.",
            valueName: "address"
        )
    )
    var httpAddress: String?

    @Option(help: ArgumentHelp("The most sessions that are loaded at a time, 64 by default.", valueName: "count"))
    var maxSessions: String?

    var settings: [(Settings.Key, String?)] {
        [(.socket, socket), (.httpPort, httpPort), (.httpAddress, httpAddress), (.maxSessions, maxSessions)]
    }
}
