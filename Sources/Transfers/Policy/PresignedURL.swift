// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel

/// The end of the validity of a URL that an object store has signed, as its query states it. Pure.
enum PresignedURL {
    /// When the URL expires, in seconds since 1970. `nil` if its query does not state that in one of these forms:
    ///
    /// - `X-Amz-Date=20261130T050000Z&X-Amz-Expires=600`, as in AWS Signature Version 4; also with `Goog`
    ///   (Google Cloud Storage) and `Oss` (Alibaba Cloud)
    /// - `Expires=1796014800` beside `Signature`, as in the older forms of these stores and of CloudFront
    /// - `se=2026-11-30T05:00:00Z` beside `sig`, as in shared access signatures of Azure
    static func expiry(of url: ResourceURL) -> Int64? {
        let query = url.text.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
        var arguments: [Substring: String] = [:]
        for argument in query.split(separator: "&") {
            let parts = argument.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, let value = PercentEscapes.decoded(parts[1].utf8) else { continue }
            arguments[parts[0]] = String(decoding: value, as: UTF8.self)
        }
        for store in ["Amz", "Goog", "Oss"] {
            guard let date = arguments["X-\(store)-Date"].flatMap(time), let count = arguments["X-\(store)-Expires"]
            else { continue }
            return Int64(count).flatMap { (0...longest).contains($0) ? date + $0 : nil }
        }
        if arguments["Signature"] != nil, let time = arguments["Expires"] { return Int64(time) }
        if arguments["sig"] != nil { return arguments["se"].flatMap(time) }
        return nil
    }

    /// The longest validity that is believed, in seconds: a century.
    private static let longest: Int64 = 100 * 366 * 86_400

    /// Parses a time in UTC as ISO 8601 writes it: with or without separators, seconds and time of day.
    private static func time(_ text: String) -> Int64? {
        guard text.utf8.count <= 20 else { return nil }
        let digits = text.filter { $0 != "-" && $0 != ":" && $0 != "T" && $0 != "Z" }
        guard [8, 12, 14].contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        let padded = Array((digits + "000000").utf8.prefix(14)).map { Int64($0) - 0x30 }
        func number(_ range: Range<Int>) -> Int64 { padded[range].reduce(0) { $0 * 10 + $1 } }
        let (year, month, day) = (number(0..<4), number(4..<6), number(6..<8))
        guard (1970...9999).contains(year), (1...12).contains(month), (1...31).contains(day) else { return nil }
        let days = RetryAfter.days(year: year, month: month, day: day)
        return days * 86_400 + number(8..<10) * 3600 + number(10..<12) * 60 + number(12..<14)
    }
}
