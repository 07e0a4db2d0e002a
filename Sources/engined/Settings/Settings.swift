// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// The engine's settings. Later sources override earlier ones: defaults, the file, the environment, flags.
struct Settings: Hashable {
    /// The name of a setting: as it is in the file, and with two leading dashes on the command line.
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

    var serving = Serving()
    var cache = Cache()
    var live = Live()
    var servers = Servers()
    var keeping = Keeping()
    var log = LogOutput()
    var player = PlayerSettings()

    /// Sets one value.
    ///
    /// - Parameters:
    ///   - text: as `ByteText`. Only the path of the control socket may have bytes that are not UTF-8.
    ///   - origin: where the value comes from, for error messages: `--http-port`, `ENGINED_HTTP_PORT`,
    ///     `engined.conf:3`.
    mutating func set(_ key: Key, to text: String, from origin: String) throws(SettingsError) {
        guard key == .socket || !ByteText.hasEscapes(text) else {
            throw SettingsError(origin, "the value is not UTF-8")
        }
        let value = SettingValue(text: text, origin: origin)
        switch key {
        case .socket: serving.socket = try value.socket()
        case .httpPort: serving.httpPort = try value.number(0...65_535, "the port must be 0 … 65535")
        case .httpAddress: serving.httpAddress = try value.word("the address must not be empty, e.g. 127.0.0.1")
        case .maxSessions: serving.maxSessions = try value.number(1...1000, "the limit of sessions must be 1 … 1000")
        case .cacheBytes: cache.bytes = try value.size(from: 1 << 20, "the cache size must be 1M or more")
        case .cacheDiskBytes: cache.diskBytes = try value.diskSize("the cache on disk must be off, 0 or 16M or more")
        case .cacheDiskDirectory: cache.diskDirectory = try value.path()
        case .windowBytes: cache.windowBytes = try value.size(from: 16 << 20, "the window must be 16M or more")
        case .dvrWindow:
            let rule = "the window of live streams must be 10 … 86400 seconds"
            player.dvrWindow = try value.parsed(Self.dvrWindow, rule)
        case .dvrBytes: live.dvrBytes = try value.diskSize("the disk for live streams must be off, 0 or 16M or more")
        case .liveChase: player.chase = try value.choice("the chase of the live edge must be one of")
        case .recordingTimeout:
            live.recordingTimeout = try value.number(1...86_400, "the time-out must be 1 … 86400 seconds")
        case .network:
            let rule = "the network must be on, off or hosts separated by commas"
            servers.network = try value.parsed({ NetworkAccess($0) }, rule)
        case .httpProxy:
            let rule = "the proxy must be none, environment or a URL"
            servers.connection.proxy = try value.parsed({ HTTPProxy($0) }, rule)
            servers.connection = try value.checked(servers.connection)
        case .httpCAFile: servers.connection.authorities = try value.path()
        case .httpClientCertificate: servers.clientCertificate = try value.path()
        case .httpClientKey: servers.clientKey = try value.path()
        case .httpUserAgent:
            servers.connection.userAgent = text
            servers.connection = try value.checked(servers.connection)
        case .httpConnectTimeout: servers.connection.connectTimeout = try value.limit()
        case .httpStallTimeout: servers.connection.stallTimeout = try value.limit()
        case .credentials: servers.credentialFile = try value.path()
        case .sftpKnownHosts: servers.sftpKnownHosts = try value.path()
        case .sftpIdentity: servers.sftpIdentity = try value.path()
        case .sourceHelper: servers.helpers = try value.helpers()
        case .journal:
            keeping.journal = try value.parsed({ JournalMode(rawValue: $0) }, "the journal must be on, synced or off")
        case .history: keeping.hasHistory = try value.isOn("the history")
        case .resume: keeping.resumes = try value.isOn("resuming")
        case .logLevel: log.level = try value.choice("the log level must be one of")
        case .logFormat: log.format = try value.choice("the log format must be one of")
        case .audioDevice:
            let name = try value.word("the audio device must be none, default or a name")
            player.audioDevice = name == "none" ? nil : name == "default" ? "" : name
        case .findSubtitles: player.findsSubtitles = try value.isOn("find-subtitles")
        case .rateRange:
            let rule = "the rates must be MIN:MAX with 0 ≤ MIN ≤ 1 ≤ MAX ≤ 16"
            player.rateRange = try value.parsed(PlayerSettings.rateRange, rule)
        case .timeoutOpening: try setTimeout(.opening, value)
        case .timeoutReady: try setTimeout(.ready, value)
        case .timeoutBuffering: try setTimeout(.buffering, value)
        case .timeoutPlay: try setTimeout(.play, value)
        case .timeoutPausing: try setTimeout(.pausing, value)
        case .timeoutStopping: try setTimeout(.stopping, value)
        case .timeoutSeeking: try setTimeout(.seeking, value)
        }
    }

    private static func dvrWindow(_ text: String) -> MediaTime? {
        let window = Int(text).map { MediaTime.seconds(Double($0)) }
        return window.flatMap { LoadOptions.dvrWindows.contains($0) ? $0 : nil }
    }

    private mutating func setTimeout(_ phase: Phase.Name, _ value: SettingValue) throws(SettingsError) {
        let timeout = try value.parsed(PlayerSettings.timeout, "the time-out must be 0 (never) … 86400 seconds")
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
                    "unknown key \"\(Self.shown(word))\"; known keys are \(SettingValue.words(Key.allCases))"
                )
            }
            try set(key, to: String(line[line.index(after: sign)...].trimmed), from: origin)
        }
    }

    /// The text for messages: bytes that are not UTF-8 are replaced.
    private static func shown(_ text: Substring) -> String {
        String(decoding: ByteText.bytes(of: String(text)), as: UTF8.self)
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
