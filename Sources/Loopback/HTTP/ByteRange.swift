// SPDX-License-Identifier: Apache-2.0

/// The part of a body that a `Range` header requests (RFC 9110 §14).
enum ByteRange: Equatable {
    /// The header is missing, invalid, in another unit, or has several ranges. RFC 9110 allows a server to ignore it.
    case whole
    case part(Range<Int>)
    /// Status 416.
    case unsatisfiable

    init(header: String?, byteCount: Int) {
        guard let header, let spec = Self.singleRange(in: header) else {
            self = .whole
            return
        }
        switch spec {
        case (let first?, let last?) where last < first: self = .whole
        case (let first?, let last):
            guard first < byteCount else {
                self = .unsatisfiable
                return
            }
            self = .part(first..<min(last ?? Int.max, byteCount - 1) + 1)
        case (nil, let suffix?):
            self = suffix == 0 || byteCount == 0 ? .unsatisfiable : .part(max(0, byteCount - suffix)..<byteCount)
        case (nil, nil): self = .whole
        }
    }

    /// The two numbers of `bytes=first-last`; either may be missing.
    private static func singleRange(in header: String) -> (Int?, Int?)? {
        let parts = header.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
        let numbers = trimmed(parts[1]).split(separator: "-", omittingEmptySubsequences: false)
        guard numbers.count == 2 else { return nil }
        guard let first = number(numbers[0]), let last = number(numbers[1]) else { return nil }
        return (first, last)
    }

    /// Returns `.some(nil)` for an empty string and `nil` for anything that is not a number. Larger numbers are clamped
    /// to `Int.max`.
    private static func number(_ text: Substring) -> Int?? {
        let text = trimmed(text)
        if text.isEmpty { return .some(nil) }
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        return .some(Int(text) ?? Int.max)
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let start = text.drop { $0 == " " || $0 == "\t" }
        return start.lastIndex { $0 != " " && $0 != "\t" }.map { start[...$0] } ?? ""
    }
}
