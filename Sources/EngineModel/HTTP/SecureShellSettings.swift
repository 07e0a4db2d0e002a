// SPDX-License-Identifier: Apache-2.0

/// How the engine identifies SFTP servers, and itself to them.
package struct SecureShellSettings: Hashable, Sendable {
    /// The file with the keys of known servers, in the format of OpenSSH. A server whose key is not in it is refused.
    package var knownHosts: String
    /// Files with private keys. The first one that can be read is used.
    package var identities: [String]
    /// The user name for URLs without one. `nil`: the engine sends an empty name.
    package var user: String?

    /// The defaults without a home directory: the system-wide list of known servers, and no private key.
    package init(
        knownHosts: String = "/etc/ssh/ssh_known_hosts",
        identities: [String] = [],
        user: String? = nil
    ) {
        self.knownHosts = knownHosts
        self.identities = identities
        self.user = user
    }

    /// The files that OpenSSH uses below a home directory.
    ///
    /// - Parameter environment: `HOME`, and `USER` or `LOGNAME`.
    package init(environment: [String: String]) {
        self.init(user: environment["USER"] ?? environment["LOGNAME"])
        guard let home = environment["HOME"], home.hasPrefix("/") else { return }
        knownHosts = "\(home)/.ssh/known_hosts"
        identities = ["id_ed25519", "id_ecdsa", "id_rsa"].map { "\(home)/.ssh/\($0)" }
    }
}
