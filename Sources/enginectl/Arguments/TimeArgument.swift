// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineModel

/// A time in seconds, as `MM:SS` or as `HH:MM:SS`, each with an optional fraction. A leading `+` or `-` makes it
/// relative to the playhead.
struct TimeArgument: Equatable, ExpressibleByArgument {
    let time: MediaTime
    let isRelative: Bool

    static let form = "seconds or [HH:]MM:SS[.fff]; with + or - in front, relative to the playhead"

    init?(argument: String) {
        var text = argument[...]
        var sign: Int64 = 1
        isRelative = text.first == "+" || text.first == "-"
        if isRelative {
            sign = text.first == "-" ? -1 : 1
            text = text.dropFirst()
        }
        guard let microseconds = Self.microseconds(text) else { return nil }
        time = MediaTime(microseconds: sign * microseconds)
    }

    private static func microseconds(_ text: Substring) -> Int64? {
        let fields = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (1...3).contains(fields.count), let last = fields.last else { return nil }
        let parts = last.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        var seconds: Int64 = 0
        for (index, field) in (fields.dropLast() + [parts[0]]).enumerated() {
            guard let value = digits(field, atMost: 9), index == 0 || value < 60 else { return nil }
            seconds = seconds * 60 + value
        }
        guard parts.count == 2 else { return seconds * 1_000_000 }
        guard digits(parts[1], atMost: 9) != nil else { return nil }
        let fraction = (parts[1] + "000000").prefix(6)
        return seconds * 1_000_000 + (Int64(fraction) ?? 0)
    }

    private static func digits(_ text: Substring, atMost limit: Int) -> Int64? {
        guard !text.isEmpty, text.count <= limit, text.allSatisfy({ ("0"..."9").contains($0) }) else { return nil }
        return Int64(text)
    }
}
