// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser

/// The command-line flags for sources that are not files. A request can override the flags for connections.
struct HTTPFlags: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The proxy for sources on servers: none (the default), environment, or a URL.",
            valueName: "none|environment|url"
        )
    )
    var httpProxy: String?

    @Option(
        help: ArgumentHelp("PEM file with the CA certificates to trust, instead of the system's.", valueName: "path")
    )
    var httpCaFile: String?

    @Option(help: ArgumentHelp("PEM file with a certificate to show to servers.", valueName: "path"))
    var httpClientCertificate: String?

    @Option(help: ArgumentHelp("PEM file with its key. Default: the same file.", valueName: "path"))
    var httpClientKey: String?

    @Option(help: ArgumentHelp("The User-Agent header for servers; engined by default.", valueName: "text"))
    var httpUserAgent: String?

    @Option(help: ArgumentHelp("How long connecting to a server may take, 10 by default.", valueName: "seconds"))
    var httpConnectTimeout: String?

    @Option(
        help: ArgumentHelp(
            "How long a server may send nothing before a request is repeated, 20 by default.",
            valueName: "seconds"
        )
    )
    var httpStallTimeout: String?

    @Option(
        help: ArgumentHelp("A file with the passwords of servers, which only its owner may read.", valueName: "path")
    )
    var credentials: String?

    @Option(
        help: ArgumentHelp("The keys of SFTP servers; ~/.ssh/known_hosts by default.", valueName: "path")
    )
    var sftpKnownHosts: String?

    @Option(
        help: ArgumentHelp(
            "A private key for SFTP; the first of ~/.ssh/id_ed25519, …_ecdsa, …_rsa by default.",
            valueName: "path"
        )
    )
    var sftpIdentity: String?

    @Option(
        help: ArgumentHelp(
            "The programs that read URLs of other schemes, separated by commas.",
            valueName: "scheme=path"
        )
    )
    var sourceHelper: String?

    var settings: [(Settings.Key, String?)] {
        [
            (.httpProxy, httpProxy), (.httpCAFile, httpCaFile), (.httpClientCertificate, httpClientCertificate),
            (.httpClientKey, httpClientKey), (.httpUserAgent, httpUserAgent),
            (.httpConnectTimeout, httpConnectTimeout), (.httpStallTimeout, httpStallTimeout),
            (.credentials, credentials), (.sftpKnownHosts, sftpKnownHosts), (.sftpIdentity, sftpIdentity),
            (.sourceHelper, sourceHelper),
        ]
    }
}
