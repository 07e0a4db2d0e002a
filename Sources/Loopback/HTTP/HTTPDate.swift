// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// IMF-fixdate, the form of the `Date` header (RFC 9110 §5.6.7).
enum HTTPDate {
    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// - Parameter seconds: since 1970-01-01 00:00 UTC; must not be negative.
    static func format(unixSeconds seconds: Int64) -> String {
        let time = CivilTime(unixMicroseconds: seconds * 1_000_000)
        let day = CivilTime.padded(time.day, to: 2)
        return "\(weekdays[time.weekday]), \(day) \(months[time.month - 1]) \(time.year) \(time.clock) GMT"
    }
}
