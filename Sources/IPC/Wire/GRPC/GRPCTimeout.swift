// SPDX-License-Identifier: Apache-2.0

/// The `grpc-timeout` header: at most eight digits and a unit.
package enum GRPCTimeout {
    /// `nil` when the text is not a timeout.
    static func parse(_ text: String) -> Duration? {
        guard let unit = text.utf8.last, (2...9).contains(text.utf8.count) else { return nil }
        let digits = text.utf8.dropLast()
        guard digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let count = Int64(String(digits) ?? "")
        else { return nil }
        switch unit {
        case UInt8(ascii: "H"): return .seconds(count * 3600)
        case UInt8(ascii: "M"): return .seconds(count * 60)
        case UInt8(ascii: "S"): return .seconds(count)
        case UInt8(ascii: "m"): return .milliseconds(count)
        case UInt8(ascii: "u"): return .microseconds(count)
        case UInt8(ascii: "n"): return .nanoseconds(count)
        default: return nil
        }
    }

    /// Formats in the finest unit in which the timeout has at most eight digits, rounded up, so that a peer never gives
    /// up early.
    package static func format(_ timeout: Duration) -> String {
        let (seconds, attoseconds) = timeout.components
        guard seconds >= 0 && attoseconds >= 0 else { return "0n" }
        let nanoseconds = Int128(seconds) * 1_000_000_000 + Int128(attoseconds / 1_000_000_000)
        let units: [(Int128, String)] = [
            (1, "n"), (1000, "u"), (1_000_000, "m"), (1_000_000_000, "S"), (60_000_000_000, "M"),
            (3_600_000_000_000, "H"),
        ]
        for (unit, letter) in units where (nanoseconds + unit - 1) / unit <= 99_999_999 {
            return "\((nanoseconds + unit - 1) / unit)\(letter)"
        }
        return "99999999H"
    }
}
