// SPDX-License-Identifier: Apache-2.0

/// Formats times for subtitle files. Negative times become 0.
package enum CueClock {
    /// `HH:MM:SS,mmm`.
    package static func subRip(_ microseconds: Int64) -> String { milliseconds(microseconds, ",") }

    /// `HH:MM:SS.mmm`.
    package static func webVTT(_ microseconds: Int64) -> String { milliseconds(microseconds, ".") }

    /// `H:MM:SS.cc`.
    package static func script(_ microseconds: Int64) -> String {
        let total = rounded(microseconds, by: 10_000)
        let (seconds, rest) = (total / 100, total % 100)
        return "\(seconds / 3600):\(padded(seconds / 60 % 60, 2)):\(padded(seconds % 60, 2)).\(padded(rest, 2))"
    }

    private static func milliseconds(_ microseconds: Int64, _ point: String) -> String {
        let total = rounded(microseconds, by: 1000)
        let (seconds, rest) = (total / 1000, total % 1000)
        let clock = "\(padded(seconds / 3600, 2)):\(padded(seconds / 60 % 60, 2)):\(padded(seconds % 60, 2))"
        return clock + point + padded(rest, 3)
    }

    private static func rounded(_ microseconds: Int64, by unit: Int64) -> Int64 {
        let time = max(0, microseconds)
        return time / unit + (time % unit >= unit / 2 ? 1 : 0)
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = "\(number)"
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}
