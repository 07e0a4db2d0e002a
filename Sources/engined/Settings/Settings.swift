// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import EngineRuntime
internal import Logging

/// The engine's settings. Later sources override earlier ones: defaults, the file, the environment, flags.
struct Settings: Hashable {
    /// The name of a setting: in the file as is, on the command line with two leading dashes.
    enum Key: String, CaseIterable {
        case socket
        case httpPort = "http-port"
        case httpAddress = "http-address"
        case maxSessions = "max-sessions"
        case cacheBytes = "cache-bytes"
        case cacheDiskBytes = "cache-disk-bytes"
        case cacheDiskDirectory = "cache-disk-directory"
        case windowBytes = "window-bytes"
        case dvrWindow = "dvr-window"
        case dvrBytes = "dvr-bytes"
        case liveChase = "live-chase"
        case recordingTimeout = "recording-timeout"
        case network
        case httpProxy = "http-proxy"
        case httpCAFile = "http-ca-file"
        case httpClientCertificate = "http-client-certificate"
        case httpClientKey = "http-client-key"
        case httpUserAgent = "http-user-agent"
        case httpConnectTimeout = "http-connect-timeout"
        case httpStallTimeout = "http-stall-timeout"
        case credentials
        case sftpKnownHosts = "sftp-known-hosts"
        case sftpIdentity = "sftp-identity"
        case sourceHelper = "source-helper"
        case journal
        case history
        case resume
        case logLevel = "log-level"
        case logFormat = "log-format"
        case audioDevice = "sound-device"
        case findSubtitles = "find-subtitles"
        case rateRange = "rate-range"
        case timeoutOpening = "timeout-opening"
        case timeoutReady = "timeout-ready"
        case timeoutBuffering = "timeout-buffering"
        case timeoutPlay = "timeout-play"
        case timeoutPausing = "timeout-pausing"
        case timeoutStopping = "timeout-stopping"
        case timeoutSeeking = "timeout-seeking"

        /// For example `ENGINED_HTTP_PORT` for `http-port`.
        var variable: String {
            "ENGINED_" + String(rawValue.uppercased().map { $0 == "-" ? "_" : $0 })
        }
    }

    /// `synced`: a command is answered only when the disk has it.
    enum JournalMode: String, CaseIterable { case on, synced, off }

    enum LogFormat: String, CaseIterable { case text, json }

    /// As in `FilePath.text`. `nil` for the default path below `XDG_RUNTIME_DIR`.
    var socket: String?
    var httpPort = 0
    var httpAddress = "127.0.0.1"
    var maxSessions = 64
    /// 512 MiB, or a quarter of the memory that the process can have if that is less, but at least 16 MiB.
    var cacheBytes = min(512 << 20, max(16 << 20, (MemoryLimit.bytes() ?? .max) / 4))
    /// The limit on disk for bytes fetched from servers; 0: nothing is cached on disk.
    var cacheDiskBytes = 1 << 30
    /// `nil` for the directory below `XDG_CACHE_HOME`.
    var cacheDiskDirectory: String?
    /// The memory for each source whose server does not support ranges.
    var windowBytes = 256 << 20
    /// For each live stream, on disk; 0: it is kept in memory only.
    var dvrBytes = 4 << 30
    /// In seconds. A file to which nothing has been written for this long no longer counts as a recording in progress.
    var recordingTimeout = 10
    var network = NetworkAccess.on
    /// The programs that read sources, by the scheme of their URLs.
    var sourceHelpers: [String: String] = [:]
    private var connection = HTTPConnectionOptions()
    private var clientCertificate: String?
    private var clientKey: String?
    /// The file with the passwords of servers.
    var credentialFile: String?
    /// `nil` for the files below the home directory that OpenSSH uses.
    private var sftpKnownHosts: String?
    private var sftpIdentity: String?
    /// Whether sessions survive a killed process, and a power loss.
    var journal = JournalMode.on
    /// Whether the engine records how far sources were played.
    var hasHistory = true
    /// Whether loads resume where their source was left, unless they say otherwise.
    var resumes = false
    var logLevel = Logger.Level.info
    var logFormat = LogFormat.text
    var player = PlayerSettings()

    /// Sets one value.
    ///
    /// - Parameters:
    ///   - text: as `ByteText`: only a path may have bytes that are not UTF-8.
    ///   - origin: where the value comes from, for error messages: `--http-port`, `ENGINED_HTTP_PORT`,
    ///     `engined.conf:3`.
    mutating func set(_ key: Key, to text: String, from origin: String) throws(SettingsError) {
        guard key == .socket || !ByteText.hasEscapes(text) else {
            throw SettingsError(origin, "the value is not UTF-8")
        }
        switch key {
        case .socket:
            guard !text.isEmpty else { throw SettingsError(origin, "the socket path is empty") }
            socket = ByteText.hasEscapes(text) ? FilePath(ByteText.bytes(of: text)).text : text
        case .httpPort:
            guard let port = Int(text), (0...65_535).contains(port) else {
                throw SettingsError(origin, "the port must be 0 … 65535, not \"\(text)\"")
            }
            httpPort = port
        case .httpAddress:
            guard !text.isEmpty else { throw SettingsError(origin, "the address must be numeric, e.g. 127.0.0.1") }
            httpAddress = text
        case .maxSessions:
            guard let count = Int(text), (1...1000).contains(count) else {
                throw SettingsError(origin, "the limit of sessions must be 1 … 1000, not \"\(text)\"")
            }
            maxSessions = count
        case .cacheBytes:
            guard let size = ByteSize(text), size.count >= 1 << 20 else {
                throw SettingsError(origin, "the cache size must be 1M or more, not \"\(text)\"")
            }
            cacheBytes = size.count
        case .cacheDiskBytes:
            guard let size = text == "off" ? 0 : ByteSize(text)?.count, size == 0 || size >= 16 << 20 else {
                throw SettingsError(origin, "the cache on disk must be off, 0 or 16M or more, not \"\(text)\"")
            }
            cacheDiskBytes = size
        case .cacheDiskDirectory: cacheDiskDirectory = try Self.path(text, origin)
        case .windowBytes:
            guard let size = ByteSize(text), size.count >= 16 << 20 else {
                throw SettingsError(origin, "the window must be 16M or more, not \"\(text)\"")
            }
            windowBytes = size.count
        case .dvrWindow:
            guard let seconds = Int(text), LoadOptions.dvrWindows.contains(.seconds(Double(seconds))) else {
                throw SettingsError(origin, "the window of live streams must be 10 … 86400 seconds, not \"\(text)\"")
            }
            player.dvrWindow = .seconds(Double(seconds))
        case .dvrBytes:
            guard let size = text == "off" ? 0 : ByteSize(text)?.count, size == 0 || size >= 16 << 20 else {
                throw SettingsError(origin, "the disk for live streams must be off, 0 or 16M or more, not \"\(text)\"")
            }
            dvrBytes = size
        case .liveChase:
            guard let mode = ChaseMode(rawValue: text) else {
                let words = Self.words(ChaseMode.allCases)
                throw SettingsError(origin, "the chase of the live edge must be one of \(words), not \"\(text)\"")
            }
            player.chase = mode
        case .recordingTimeout:
            guard let seconds = Int(text), (1...86_400).contains(seconds) else {
                throw SettingsError(origin, "the time-out must be 1 … 86400 seconds, not \"\(text)\"")
            }
            recordingTimeout = seconds
        case .network:
            guard let access = NetworkAccess(text) else {
                throw SettingsError(origin, "the network must be on, off or hosts separated by commas, not \"\(text)\"")
            }
            network = access
        case .httpProxy:
            guard let proxy = HTTPProxy(text) else {
                throw SettingsError(origin, "the proxy must be none, environment or a URL, not \"\(text)\"")
            }
            connection.proxy = proxy
        case .httpCAFile: connection.authorities = try Self.path(text, origin)
        case .httpClientCertificate: clientCertificate = try Self.path(text, origin)
        case .httpClientKey: clientKey = try Self.path(text, origin)
        case .httpUserAgent: connection.userAgent = text
        case .httpConnectTimeout: connection.connectTimeout = try Self.limit(text, origin)
        case .httpStallTimeout: connection.stallTimeout = try Self.limit(text, origin)
        case .credentials: credentialFile = try Self.path(text, origin)
        case .sftpKnownHosts: sftpKnownHosts = try Self.path(text, origin)
        case .sftpIdentity: sftpIdentity = try Self.path(text, origin)
        case .sourceHelper: sourceHelpers = try Self.helpers(text, origin)
        case .journal:
            guard let mode = JournalMode(rawValue: text) else {
                throw SettingsError(origin, "the journal must be on, synced or off, not \"\(text)\"")
            }
            journal = mode
        case .history: hasHistory = try Self.isOn(text, "the history", origin)
        case .resume: resumes = try Self.isOn(text, "resuming", origin)
        case .logLevel:
            guard let level = Logger.Level(rawValue: text) else {
                let words = Self.words(Logger.Level.allCases)
                throw SettingsError(origin, "the log level must be one of \(words), not \"\(text)\"")
            }
            logLevel = level
        case .logFormat:
            guard let format = LogFormat(rawValue: text) else {
                let words = Self.words(LogFormat.allCases)
                throw SettingsError(origin, "the log format must be one of \(words), not \"\(text)\"")
            }
            logFormat = format
        case .audioDevice:
            guard !text.isEmpty else { throw SettingsError(origin, "the sound device must be none, default or a name") }
            player.audioDevice = text == "none" ? nil : text == "default" ? "" : text
        case .findSubtitles:
            guard let isOn = ["on": true, "off": false][text] else {
                throw SettingsError(origin, "find-subtitles must be on or off, not \"\(text)\"")
            }
            player.findsSubtitles = isOn
        case .rateRange:
            guard let range = PlayerSettings.rateRange(text) else {
                throw SettingsError(origin, "the rates must be MIN:MAX with 0 ≤ MIN ≤ 1 ≤ MAX ≤ 16, not \"\(text)\"")
            }
            player.rateRange = range
        case .timeoutOpening: try setTimeout(.opening, text, origin)
        case .timeoutReady: try setTimeout(.ready, text, origin)
        case .timeoutBuffering: try setTimeout(.buffering, text, origin)
        case .timeoutPlay: try setTimeout(.play, text, origin)
        case .timeoutPausing: try setTimeout(.pausing, text, origin)
        case .timeoutStopping: try setTimeout(.stopping, text, origin)
        case .timeoutSeeking: try setTimeout(.seeking, text, origin)
        }
    }

    /// The options for connections to servers, unless a request says otherwise.
    var http: HTTPConnectionOptions {
        var options = connection
        options.clientCertificate = clientCertificate.map {
            HTTPClientCertificate(certificate: $0, key: clientKey ?? $0)
        }
        return options
    }

    /// - Parameter environment: `HOME` and `USER`, for what no setting says.
    func secureShell(_ environment: [String: String]) -> SecureShellSettings {
        var shell = SecureShellSettings(environment: environment)
        if let sftpKnownHosts { shell.knownHosts = sftpKnownHosts }
        if let sftpIdentity { shell.identities = [sftpIdentity] }
        return shell
    }

    private static func path(_ text: String, _ origin: String) throws(SettingsError) -> String {
        guard text.hasPrefix("/") else { throw SettingsError(origin, "the path must be absolute, not \"\(text)\"") }
        return text
    }

    /// `SCHEME=PATH`, several of them separated by commas.
    private static func helpers(_ text: String, _ origin: String) throws(SettingsError) -> [String: String] {
        var helpers: [String: String] = [:]
        for entry in text.split(separator: ",", omittingEmptySubsequences: false) {
            let parts = entry.split(separator: "=", maxSplits: 1).map(String.init)
            let isBuiltIn = ["file", "udp", "rtp", "pipe", "source"].contains(parts.first)
            guard parts.count == 2, !isBuiltIn, ServerScheme(parts[0]) == nil, parts[1].hasPrefix("/"),
                parts[0].utf8.allSatisfy({ (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D })
            else {
                throw SettingsError(
                    origin,
                    "helpers must be SCHEME=PATH with a scheme that the engine does not have, not \"\(entry)\""
                )
            }
            helpers[parts[0]] = parts[1]
        }
        return helpers
    }

    private static func limit(_ text: String, _ origin: String) throws(SettingsError) -> Duration {
        guard let seconds = Double(text), (0.001...3600).contains(seconds) else {
            throw SettingsError(origin, "the time-out must be 0.001 … 3600 seconds, not \"\(text)\"")
        }
        return .seconds(seconds)
    }

    private static func isOn(_ text: String, _ what: String, _ origin: String) throws(SettingsError) -> Bool {
        guard let isOn = ["on": true, "off": false][text] else {
            throw SettingsError(origin, "\(what) must be on or off, not \"\(text)\"")
        }
        return isOn
    }

    private mutating func setTimeout(_ phase: Phase.Name, _ text: String, _ origin: String) throws(SettingsError) {
        guard let timeout = PlayerSettings.timeout(text) else {
            throw SettingsError(origin, "the time-out must be 0 (never) … 86400 seconds, not \"\(text)\"")
        }
        player.setTimeout(timeout, of: phase)
    }

    /// Applies environment variables, as `ByteText`. Empty values count as unset.
    mutating func take(environment: [String: String]) throws(SettingsError) {
        for key in Key.allCases {
            guard let text = environment[key.variable], !text.isEmpty else { continue }
            try set(key, to: text, from: key.variable)
        }
    }

    /// Applies the lines of a file, as `ByteText`: `key = value`, blank lines, and comments that start with `#`.
    mutating func take(file text: String, named name: String) throws(SettingsError) {
        for (number, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let line = line.trimmed
            if line.isEmpty || line.hasPrefix("#") { continue }
            let origin = "\(name):\(number + 1)"
            guard let sign = line.firstIndex(of: "=") else {
                throw SettingsError(origin, "\"\(Self.shown(line))\" is not of the form key = value")
            }
            let word = line[..<sign].trimmed
            guard let key = Key(rawValue: String(word)) else {
                throw SettingsError(
                    origin,
                    "unknown key \"\(Self.shown(word))\"; known keys are \(Self.words(Key.allCases))"
                )
            }
            try set(key, to: String(line[line.index(after: sign)...].trimmed), from: origin)
        }
    }

    /// For messages.
    private static func shown(_ text: Substring) -> String {
        String(decoding: ByteText.bytes(of: String(text)), as: UTF8.self)
    }

    private static func words<Word: RawRepresentable<String>>(_ words: [Word]) -> String {
        words.map(\.rawValue).joined(separator: ", ")
    }
}

/// An invalid setting, and where it comes from.
struct SettingsError: Error, Hashable, CustomStringConvertible {
    let origin: String
    let message: String

    init(_ origin: String, _ message: String) {
        self.origin = origin
        self.message = message
    }

    var description: String { "\(origin): \(message)" }
}

extension Substring {
    fileprivate var trimmed: Substring {
        let isBlank = { (character: Character) in character == " " || character == "\t" || character == "\r" }
        var text = drop(while: isBlank)
        while let last = text.last, isBlank(last) { text.removeLast() }
        return text
    }
}
