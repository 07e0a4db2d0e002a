// SPDX-License-Identifier: Apache-2.0

/// The contents of a WebVTT segment (RFC 8216 §3.5), with checks of its syntax.
package struct TextSegmentFacts: Hashable, Sendable {
    package struct Cue: Hashable, Sendable {
        /// Seconds on the presentation's timeline, with X-TIMESTAMP-MAP applied.
        package var start: Double
        package var end: Double
        package var text: String
    }

    package private(set) var cues: [Cue] = []

    /// Whether the bytes start with a WebVTT signature.
    package static func claims(_ bytes: [UInt8]) -> Bool {
        let magic = Array("WEBVTT".utf8)
        return bytes.starts(with: magic) || bytes.starts(with: [0xEF, 0xBB, 0xBF] + magic)
    }

    package static func read(
        _ bytes: [UInt8],
        subject: String
    ) -> (facts: TextSegmentFacts, problems: [ValidationProblem]) {
        var facts = TextSegmentFacts()
        var problems: [ValidationProblem] = []
        guard let text = String(validating: bytes, as: UTF8.self) else {
            return (facts, [ValidationProblem("RFC 8216 §3.5", subject, "it is not UTF-8")])
        }
        var blocks = text.split(omittingEmptySubsequences: false) { ["\n", "\r", "\r\n"].contains($0) }.split(
            separator: ""
        )[...]
        let header = blocks.popFirst() ?? []
        let shift = mapShift(header)
        if shift == nil { problems.append(ValidationProblem("RFC 8216 §3.5", subject, "it has no X-TIMESTAMP-MAP")) }
        for block in blocks {
            if block.first.map({ $0.hasPrefix("NOTE") || $0 == "STYLE" || $0 == "REGION" }) == true { continue }
            guard let place = block.firstIndex(where: { $0.contains("-->") }), place <= block.startIndex + 1,
                let (start, end) = times(block[place])
            else {
                let line = block.first?.prefix(40) ?? ""
                problems.append(ValidationProblem("WebVTT §4.1", subject, "\"\(line)\" is not a cue"))
                continue
            }
            if end <= start {
                problems.append(ValidationProblem("WebVTT §4.1", subject, "a cue at \(start) s ends before it starts"))
            }
            let lines = block[(place + 1)...].joined(separator: "\n")
            facts.cues.append(Cue(start: start + (shift ?? 0), end: end + (shift ?? 0), text: lines))
        }
        return (facts, problems)
    }

    /// The offset in seconds from cue times to the presentation's timeline. `nil` without an X-TIMESTAMP-MAP.
    private static func mapShift(_ header: ArraySlice<Substring>) -> Double? {
        guard let line = header.first(where: { $0.hasPrefix("X-TIMESTAMP-MAP=") }) else { return nil }
        var (local, clock): (Double?, Double?)
        for part in line.dropFirst("X-TIMESTAMP-MAP=".count).split(separator: ",") {
            if part.hasPrefix("LOCAL:") { local = seconds(part.dropFirst(6)) }
            if part.hasPrefix("MPEGTS:") { clock = Double(part.dropFirst(7)).map { $0 / 90_000 } }
        }
        guard let local, let clock else { return nil }
        return clock - local
    }

    private static func times(_ line: Substring) -> (Double, Double)? {
        let parts = line.split(separator: " ", omittingEmptySubsequences: true)
        guard parts.count >= 3, parts[1] == "-->", let start = seconds(parts[0]), let end = seconds(parts[2]) else {
            return nil
        }
        return (start, end)
    }

    /// `[HH:]MM:SS.mmm`.
    private static func seconds(_ text: Substring) -> Double? {
        let fields = text.split(separator: ":", omittingEmptySubsequences: false)
        guard fields.count == 2 || fields.count == 3, let last = fields.last else { return nil }
        let parts = last.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].count == 2, parts[1].count == 3 else { return nil }
        var total = 0.0
        for field in fields.dropLast() + [last] {
            guard field.utf8.allSatisfy({ $0 == 0x2E || (0x30...0x39).contains($0) }), let value = Double(field) else {
                return nil
            }
            total = total * 60 + value
        }
        return total
    }
}
