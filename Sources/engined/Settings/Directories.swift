// SPDX-License-Identifier: Apache-2.0

/// Where the engine keeps files (XDG Base Directory Specification; systemd.exec(5) for a service's own).
enum Directories {
    /// What can be found again: `$XDG_CACHE_HOME/engined`, else `~/.cache/engined`; `nil` without a home.
    static func cache(_ environment: [String: String]) -> String? {
        first(environment, service: "CACHE_DIRECTORY", base: "XDG_CACHE_HOME", fallback: ".cache")
    }

    /// What a later process wants: `$XDG_STATE_HOME/engined`, else `~/.local/state/engined`; `nil` without a home.
    static func state(_ environment: [String: String]) -> String? {
        first(environment, service: "STATE_DIRECTORY", base: "XDG_STATE_HOME", fallback: ".local/state")
    }

    private static func first(
        _ environment: [String: String],
        service: String,
        base: String,
        fallback: String
    ) -> String? {
        // A service manager may name several; the first is ours.
        if let own = environment[service]?.split(separator: ":").first, own.hasPrefix("/") { return String(own) }
        if let base = environment[base], base.hasPrefix("/") { return "\(base)/engined" }
        if let home = environment["HOME"], home.hasPrefix("/") { return "\(home)/\(fallback)/engined" }
        return nil
    }
}
