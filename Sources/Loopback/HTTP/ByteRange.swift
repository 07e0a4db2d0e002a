// SPDX-License-Identifier: Apache-2.0

/// The parts of a body that a `Range` header requests (RFC 9110 §14).
enum ByteRange: Equatable {
    /// The header is missing, invalid, in another unit, or has too many ranges. RFC 9110 allows a server to ignore it.
    case whole
    case part(Range<Int>)
    /// At least two ranges that neither overlap nor touch. They are in the order of the request, or in that of the body
    /// if ranges were joined.
    case parts([Range<Int>])
    /// Status 416.
    case unsatisfiable

    /// Requests with more ranges get the whole body (RFC 9110 §14.2 warns of many small ranges).
    static let limit = 32

    init(header: String?, byteCount: Int) {
        guard let header, let specs = Self.specs(in: header), specs.count <= Self.limit else {
            self = .whole
            return
        }
        let ranges = Self.merged(specs.compactMap { $0.range(in: byteCount) })
        switch ranges.count {
        case 0: self = .unsatisfiable
        case 1: self = .part(ranges[0])
        default: self = .parts(ranges)
        }
    }

    /// `first-last`, `first-` or `-suffix`.
    private enum Spec {
        case from(Int, to: Int?)
        case suffix(Int)

        init?(_ text: Substring) {
            let numbers = text.split(separator: "-", omittingEmptySubsequences: false)
            guard numbers.count == 2, let first = Self.number(numbers[0]), let last = Self.number(numbers[1]) else {
                return nil
            }
            switch (first, last) {
            case (let first?, let last): self = .from(first, to: last)
            case (nil, let suffix?): self = .suffix(suffix)
            case (nil, nil): return nil
            }
            if case .from(let first, let last?) = self, last < first { return nil }
        }

        /// Returns `nil` if the body has no byte of the range.
        func range(in byteCount: Int) -> Range<Int>? {
            switch self {
            case .from(let first, let last):
                first < byteCount ? first..<min(last ?? Int.max, byteCount - 1) + 1 : nil
            case .suffix(let suffix):
                suffix == 0 || byteCount == 0 ? nil : max(0, byteCount - suffix)..<byteCount
            }
        }

        /// Returns `.some(nil)` for an empty string and `nil` for anything that is not a number. Numbers above
        /// `Int.max` are clamped to it.
        private static func number(_ text: Substring) -> Int?? {
            let text = trimmed(text)
            if text.isEmpty { return .some(nil) }
            guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
            return .some(Int(text) ?? Int.max)
        }
    }

    /// The members of `bytes=…`. `nil` for another unit, or if any member is invalid.
    private static func specs(in header: String) -> [Spec]? {
        let parts = header.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
        // Empty members of a list are ignored (RFC 9110 §5.6.1.2).
        let members = parts[1].split(separator: ",").map(trimmed).filter { !$0.isEmpty }
        let specs = members.compactMap(Spec.init)
        return members.isEmpty || specs.count < members.count ? nil : specs
    }

    /// Joins ranges that overlap or touch (RFC 9110 §15.3.7.2). The result is in the order of the body if any were
    /// joined, otherwise in the order of the request.
    private static func merged(_ ranges: [Range<Int>]) -> [Range<Int>] {
        var merged: [Range<Int>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = merged.last, range.lowerBound <= last.upperBound {
                merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                merged.append(range)
            }
        }
        return merged.count == ranges.count ? ranges : merged
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let start = text.drop { $0 == " " || $0 == "\t" }
        return start.lastIndex { $0 != " " && $0 != "\t" }.map { start[...$0] } ?? ""
    }
}
