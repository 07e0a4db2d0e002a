// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// Formats values for display.
enum Words {
    /// For example `1:02:03`, optionally with milliseconds.
    static func time(_ time: MediaTime, withMilliseconds: Bool = false) -> String {
        let milliseconds = abs(time.microseconds) / 1000
        let (hours, minutes, seconds) = (
            milliseconds / 3_600_000, milliseconds / 60_000 % 60, milliseconds / 1000 % 60
        )
        let sign = time.microseconds < 0 && milliseconds > 0 ? "-" : ""
        let tail = withMilliseconds ? "." + padded(milliseconds % 1000, to: 3) : ""
        let clock = hours > 0 ? "\(hours):\(padded(minutes, to: 2))" : "\(minutes)"
        return "\(sign)\(clock):\(padded(seconds, to: 2))\(tail)"
    }

    /// For example `8.60 GB`, in powers of 1000.
    static func bytes(_ count: some BinaryInteger) -> String {
        scaled(Double(count), units: ["B", "kB", "MB", "GB", "TB"])
    }

    static func bitRate(_ bitsPerSecond: some BinaryInteger) -> String {
        scaled(Double(bitsPerSecond), units: ["b/s", "kb/s", "Mb/s", "Gb/s"])
    }

    /// At most `places` decimals, without trailing zeros.
    static func number(_ value: Double, places: Int) -> String {
        var text = fixed(value, places: places)
        guard text.contains(".") else { return text }
        while text.last == "0" { text.removeLast() }
        if text.last == "." { text.removeLast() }
        return text
    }

    /// Exactly `places` decimals, or `?` if the value is too large or not finite.
    static func fixed(_ value: Double, places: Int) -> String {
        guard value.isFinite, abs(value) < 1e15 else { return "?" }
        let unit = (0..<places).reduce(Int64(1)) { power, _ in power * 10 }
        let scaled = Int64((abs(value) * Double(unit)).rounded())
        let sign = value < 0 && scaled > 0 ? "-" : ""
        return places == 0 ? "\(sign)\(scaled)" : "\(sign)\(scaled / unit).\(padded(scaled % unit, to: places))"
    }

    /// For example `2026-11-23 06:40:12`, in UTC.
    static func date(_ unixMicroseconds: Int64) -> String {
        let time = CivilTime(unixMicroseconds: unixMicroseconds)
        return "\(time.date) \(time.clock)"
    }

    /// For example `volume 1 (clamped to 0…1)`.
    static func clamped(_ name: String, _ value: Double, to range: ClosedRange<Double>, unit: String = "") -> String {
        let (value, least, most) = (
            number(value, places: 3), number(range.lowerBound, places: 3), number(range.upperBound, places: 3)
        )
        return "\(name) \(value)\(unit) (clamped to \(least)…\(most)\(unit))"
    }

    static func count(_ count: Int, _ noun: String) -> String { count == 1 ? "1 \(noun)" : "\(count) \(noun)s" }

    /// Why nothing of a kind was found. For example `no audio track matches "de"; the source has: 1 (eng), 2 (fre)`, or
    /// `the source has no audio tracks`.
    static func missing(_ kind: String, _ wanted: String, among known: [String]) -> String {
        guard !known.isEmpty else { return "the source has no \(kind)s" }
        return plain("no \(kind) matches \"\(wanted)\"; the source has: \(known.joined(separator: ", "))")
    }

    /// A track in such a list, for example `1 (eng)`.
    static func track(_ number: Int, _ language: String) -> String {
        language.isEmpty ? "\(number)" : "\(number) (\(language))"
    }

    /// Quotes text for a shell: in single quotes, unless it consists of letters, digits and `+-./_`.
    static func quoted(_ text: String) -> String {
        let isPlain = text.unicodeScalars.allSatisfy {
            $0.properties.isAlphabetic || ("+"..."9").contains($0) || $0 == "_"
        }
        return isPlain && !text.contains(",") ? text : "'\(text.replacing("'", with: "'\\''"))'"
    }

    /// Replaces control characters with `?`, because text from a file must not control the terminal.
    static func plain(_ text: String) -> String {
        String(
            String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : $0 })
        )
    }

    private static func scaled(_ value: Double, units: [String]) -> String {
        var value = value
        var index = 0
        while value >= 999.5, index < units.count - 1 {
            value /= 1000
            index += 1
        }
        return "\(fixed(value, places: index == 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2)) \(units[index])"
    }

    private static func padded(_ value: Int64, to width: Int) -> String {
        let digits = "\(value)"
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
