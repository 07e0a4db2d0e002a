// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// Parses the values of tags and attributes (RFC 8216 §4.2).
enum HLSSyntax {
    /// The longest time that a playlist can state: 10⁹ seconds.
    private static let longest: Int64 = 1_000_000_000

    /// A decimal integer of at most 63 bits.
    static func integer(_ text: some StringProtocol) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(text)
    }

    /// A signed number of seconds, rounded to microseconds, and the text after it. `nil` if the text does not begin
    /// with a number, or if the number is above 10⁹.
    static func leadingSeconds(_ text: ArraySlice<UInt8>) -> (time: MediaTime, rest: ArraySlice<UInt8>)? {
        var rest = text
        let isNegative = rest.first == UInt8(ascii: "-")
        if isNegative || rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
        let whole = rest.prefix { (0x30...0x39).contains($0) }
        rest = rest[whole.endIndex...]
        var fraction: ArraySlice<UInt8> = []
        if rest.first == UInt8(ascii: ".") {
            fraction = rest.dropFirst().prefix { (0x30...0x39).contains($0) }
            rest = rest[(rest.startIndex + 1 + fraction.count)...]
        }
        guard !whole.isEmpty || !fraction.isEmpty else { return nil }
        var value: Int64 = 0
        for digit in whole {
            value = value * 10 + Int64(digit - 0x30)
            guard value <= longest else { return nil }
        }
        for place in 0..<6 {
            let index = fraction.startIndex + place
            value = value * 10 + (index < fraction.endIndex ? Int64(fraction[index] - 0x30) : 0)
        }
        if fraction.count > 6, fraction[fraction.startIndex + 6] >= UInt8(ascii: "5") { value += 1 }
        return (MediaTime(microseconds: isNegative ? -value : value), rest)
    }

    static func seconds(_ text: String) -> MediaTime? {
        guard let (time, rest) = leadingSeconds(Array(text.utf8)[...]), rest.isEmpty else { return nil }
        return time
    }

    /// A finite decimal number.
    static func decimal(_ text: String) -> Double? {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E || $0 == 0x2D }) else { return nil }
        return Double(text).flatMap { $0.isFinite ? $0 : nil }
    }

    /// Parses `0x` followed by an even number of hexadecimal digits.
    static func bytes(_ text: String) -> [UInt8]? {
        guard text.utf8.count % 2 == 0, text.hasPrefix("0x") || text.hasPrefix("0X") else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count / 2)
        var high: UInt8?
        for digit in text.utf8.dropFirst(2) {
            guard let value = hexDigit(digit) else { return nil }
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return bytes
    }

    static func hexDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }

    /// `<n>[@<o>]` (§4.3.2.2).
    static func byteRange(_ text: String) -> (length: Int64, offset: Int64?)? {
        let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        guard let length = parts.first.flatMap({ integer($0) }) else { return nil }
        guard parts.count == 2 else { return (length, nil) }
        guard let offset = integer(parts[1]), !offset.addingReportingOverflow(length).overflow else { return nil }
        return (length, offset)
    }

    static func resolution(_ text: String) -> HLSResolution? {
        let parts = text.split(separator: "x", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let width = integer(parts[0]), let height = integer(parts[1]),
            (1...65535).contains(width), (1...65535).contains(height)
        else { return nil }
        return HLSResolution(width: Int(width), height: Int(height))
    }

    /// ISO 8601 as packagers write it: `2026-11-05T08:15:30.250+01:00`, with `Z`, `+0100`, `+01` or without a zone.
    static func date(_ text: String) -> (time: WallTime, hasZone: Bool)? {
        var scanner = DateScanner(text)
        guard let year = scanner.number(4), scanner.take("-"), let month = scanner.number(2), scanner.take("-"),
            let day = scanner.number(2), scanner.take("T") || scanner.take("t") || scanner.take(" "),
            let hour = scanner.number(2), scanner.take(":"), let minute = scanner.number(2), scanner.take(":"),
            let second = scanner.number(2), (1...12).contains(month), (1...31).contains(day), hour <= 24,
            minute < 60, second <= 60
        else { return nil }
        var fraction: Int64 = 0
        if scanner.take(".") || scanner.take(",") {
            guard let value = scanner.fraction() else { return nil }
            fraction = value
        }
        var offset: Int64 = 0
        var hasZone = true
        if scanner.take("+") {
            guard let value = scanner.offset() else { return nil }
            offset = value
        } else if scanner.take("-") {
            guard let value = scanner.offset() else { return nil }
            offset = -value
        } else {
            hasZone = scanner.take("Z") || scanner.take("z")
        }
        guard scanner.isAtEnd else { return nil }
        let minutes = (days(year, month, day) * 24 + hour) * 60 + minute - offset
        return (WallTime(microseconds: (minutes * 60 + second) * 1_000_000 + fraction), hasZone)
    }

    /// Days since 1970-01-01 in the proleptic Gregorian calendar.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        // Years begin in March, so that the leap day is the last of the year.
        let year = month > 2 ? year : year - 1
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}

/// Scans a date from its start.
private struct DateScanner {
    private var rest: Substring.UTF8View

    init(_ text: String) { rest = Substring(text).utf8 }

    var isAtEnd: Bool { rest.isEmpty }

    /// Exactly `count` digits.
    mutating func number(_ count: Int) -> Int64? {
        let digits = rest.prefix(count)
        guard digits.count == count, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        rest = rest.dropFirst(count)
        return digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest = rest.dropFirst()
        return true
    }

    /// The digits after a decimal point, in microseconds.
    mutating func fraction() -> Int64? {
        let digits = rest.prefix { (0x30...0x39).contains($0) }
        guard !digits.isEmpty else { return nil }
        rest = rest.dropFirst(digits.count)
        let known = digits.prefix(6)
        return (known.count..<6).reduce(known.reduce(0) { $0 * 10 + Int64($1 - 0x30) }) { value, _ in value * 10 }
    }

    /// `hh:mm`, `hhmm` or `hh`, in minutes.
    mutating func offset() -> Int64? {
        guard let hours = number(2), hours < 24 else { return nil }
        _ = take(":")
        if rest.isEmpty { return hours * 60 }
        guard let minutes = number(2), minutes < 60 else { return nil }
        return hours * 60 + minutes
    }
}
