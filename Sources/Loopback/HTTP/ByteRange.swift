// SPDX-License-Identifier: Apache-2.0

/// What a `Range` header asks of a body (RFC 9110 §14).
enum ByteRange: Equatable {
    /// The header is absent, in another unit, of several ranges, or not understood: it is ignored, as a server may.
    case whole
    case part(Range<Int>)
    /// 416.
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

    /// The two numbers of `bytes=first-last`, either of which may be missing.
    private static func singleRange(in header: String) -> (Int?, Int?)? {
        let parts = header.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
        let numbers = trimmed(parts[1]).split(separator: "-", omittingEmptySubsequences: false)
        guard numbers.count == 2 else { return nil }
        guard let first = number(numbers[0]), let last = number(numbers[1]) else { return nil }
        return (first, last)
    }

    /// `.some(nil)` for an empty string, `nil` for what is no number. A number above `Int` is as good as its maximum.
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
