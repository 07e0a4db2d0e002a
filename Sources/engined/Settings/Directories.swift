// SPDX-License-Identifier: Apache-2.0

/// The directories for the engine's files (XDG Base Directory Specification; systemd.exec(5) for services).
enum Directories {
    /// For data that can be recreated: `$CACHE_DIRECTORY` of a service, otherwise `$XDG_CACHE_HOME/engined`, otherwise
    /// `~/.cache/engined`; `nil` without a home directory.
    static func cache(_ environment: [String: String]) -> String? {
        first(environment, service: "CACHE_DIRECTORY", base: "XDG_CACHE_HOME", fallback: ".cache")
    }

    /// For data that the next process needs: `$STATE_DIRECTORY` of a service, otherwise `$XDG_STATE_HOME/engined`,
    /// otherwise `~/.local/state/engined`; `nil` without a home directory.
    static func state(_ environment: [String: String]) -> String? {
        first(environment, service: "STATE_DIRECTORY", base: "XDG_STATE_HOME", fallback: ".local/state")
    }

    private static func first(
        _ environment: [String: String],
        service: String,
        base: String,
        fallback: String
    ) -> String? {
        // A service manager may list several directories; the first is the engine's.
        if let own = environment[service]?.split(separator: ":").first, own.hasPrefix("/") { return String(own) }
        if let base = environment[base], base.hasPrefix("/") { return "\(base)/engined" }
        if let home = environment["HOME"], home.hasPrefix("/") { return "\(home)/\(fallback)/engined" }
        return nil
    }
}
