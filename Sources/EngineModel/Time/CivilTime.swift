// SPDX-License-Identifier: Apache-2.0

/// A moment as a date of the proleptic Gregorian calendar and a time of day, in UTC without leap seconds.
package struct CivilTime: Hashable, Sendable {
    package let year: Int
    /// From 1.
    package let month: Int
    /// From 1.
    package let day: Int
    package let hour: Int
    package let minute: Int
    package let second: Int
    package let microsecond: Int
    /// From Sunday, which is 0.
    package let weekday: Int

    /// - Parameter microseconds: since 1970-01-01 00:00 UTC.
    package init(unixMicroseconds microseconds: Int64) {
        let (days, ofDay) = Self.divided(Int(microseconds), by: 86_400_000_000)
        hour = ofDay / 3_600_000_000
        minute = ofDay / 60_000_000 % 60
        second = ofDay / 1_000_000 % 60
        microsecond = ofDay % 1_000_000
        weekday = Self.divided(days + 4, by: 7).rest
        // Years are counted from 1 March, so that a leap day is the last day of a year.
        let (era, dayOfEra) = Self.divided(days + 719_468, by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shifted + 2) / 5 + 1
        month = shifted < 10 ? shifted + 3 : shifted - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// The rest is not negative.
    private static func divided(_ value: Int, by divisor: Int) -> (quotient: Int, rest: Int) {
        let (quotient, rest) = value.quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? (quotient - 1, rest + divisor) : (quotient, rest)
    }

    /// For example `2026-11-23`.
    package var date: String { "\(Self.padded(year, to: 4))-\(Self.padded(month, to: 2))-\(Self.padded(day, to: 2))" }

    /// For example `06:40:12`.
    package var clock: String { [hour, minute, second].map { Self.padded($0, to: 2) }.joined(separator: ":") }

    /// For example `2026-11-23T06:40:12.250Z`, as in ISO 8601 and RFC 3339.
    package var text: String { "\(date)T\(clock).\(Self.padded(microsecond / 1000, to: 3))Z" }

    package static func padded(_ value: Int, to digits: Int) -> String {
        let text = "\(value.magnitude)"
        return (value < 0 ? "-" : "") + String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}
