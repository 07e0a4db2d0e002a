// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import EngineRuntime
internal import Logging

extension Settings {
    /// The addresses to which clients connect, and the number of sessions they may load.
    struct Serving: Hashable {
        /// As in `FilePath.text`. `nil` for the default path below `XDG_RUNTIME_DIR`.
        var socket: String?
        var httpPort = 0
        var httpAddress = "127.0.0.1"
        var maxSessions = 64
    }

    /// The memory and the disk space that sources and segments may take.
    struct Cache: Hashable {
        /// The memory for finished segments, in bytes: 512 MiB, or a quarter of the memory that the process may use if
        /// that is less, but at least 16 MiB.
        var bytes = min(512 << 20, max(16 << 20, MemoryLimit.bytes() / 4))
        /// The disk space for data fetched from servers, in bytes; 0: nothing is cached on disk.
        var diskBytes = 1 << 30
        /// `nil` for the directory below `XDG_CACHE_HOME`.
        var diskDirectory: String?
        /// The memory for each source whose server does not support ranges, in bytes.
        var windowBytes = 256 << 20
    }

    /// Sources that grow.
    struct Live: Hashable {
        /// The disk space for each live stream, in bytes; 0: live streams are kept in memory only.
        var dvrBytes = 4 << 30
        /// In seconds. A file to which nothing has been written for this long no longer counts as a recording in progress.
        var recordingTimeout = 10
    }

    /// Sources that are not files.
    struct Servers: Hashable {
        var network = NetworkAccess.on
        /// The programs that read sources, by the scheme of their URLs.
        var helpers: [String: String] = [:]
        var connection = HTTPConnectionOptions()
        var clientCertificate: String?
        var clientKey: String?
        /// The file with the passwords of servers.
        var credentialFile: String?
        /// `nil` for the files below the home directory that OpenSSH uses.
        var sftpKnownHosts: String?
        var sftpIdentity: String?

        /// The options for connections to servers, unless a request says otherwise.
        var http: HTTPConnectionOptions {
            var options = connection
            options.clientCertificate = clientCertificate.map {
                HTTPClientCertificate(certificate: $0, key: clientKey ?? $0)
            }
            return options
        }

        /// - Parameter environment: its `HOME` and `USER` supply the values that no setting states.
        func secureShell(_ environment: [String: String]) -> SecureShellSettings {
            var shell = SecureShellSettings(environment: environment)
            if let sftpKnownHosts { shell.knownHosts = sftpKnownHosts }
            if let sftpIdentity { shell.identities = [sftpIdentity] }
            return shell
        }
    }

    /// The state that outlives the process.
    struct Keeping: Hashable {
        /// Whether sessions are restored after the process was killed, and after a power loss.
        var journal = JournalMode.on
        /// Whether the engine records how far sources were played.
        var hasHistory = true
        /// Whether loads resume at the position where playback of their source stopped, unless they state otherwise.
        var resumes = false
    }

    /// `synced`: a command is answered only when its effect is on the disk.
    enum JournalMode: String, CaseIterable { case on, synced, off }

    struct LogOutput: Hashable {
        var level = Logger.Level.info
        var format = LogFormat.text
    }

    enum LogFormat: String, CaseIterable { case text, json }
}
