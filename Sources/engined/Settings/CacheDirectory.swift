// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Where the engine may keep what it can find again (XDG Base Directory Specification).
enum CacheDirectory {
    /// `$XDG_CACHE_HOME/engined`, else `~/.cache/engined`; `nil` without a home.
    static var path: String? {
        let environment = ProcessInfo.processInfo.environment
        if let cache = environment["XDG_CACHE_HOME"], cache.hasPrefix("/") { return "\(cache)/engined" }
        if let home = environment["HOME"], home.hasPrefix("/") { return "\(home)/.cache/engined" }
        return nil
    }
}
