// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Packaging
import Testing

@Suite struct HLSVariantJoinTests {
    /// A playlist. `date` is when its first entry was recorded, in seconds.
    struct Load: CustomTestStringConvertible {
        var sequence: Int
        var durations: [Double]
        var date: Double?
        /// The places of discontinuities.
        var breaks: Set<Int> = []
        var target = 4

        init(_ sequence: Int, _ durations: [Double], date: Double? = nil, breaks: Set<Int> = [], target: Int = 4) {
            (self.sequence, self.durations, self.date) = (sequence, durations, date)
            (self.breaks, self.target) = (breaks, target)
        }

        var testDescription: String { "\(sequence): \(durations) \(date.map { "from \($0)" } ?? "")" }

        func playlist() throws -> HLSMediaPlaylist {
            var lines = ["#EXT-X-TARGETDURATION:\(target)", "#EXT-X-MEDIA-SEQUENCE:\(sequence)"]
            var time = date
            for (place, duration) in durations.enumerated() {
                if breaks.contains(place) { lines.append("#EXT-X-DISCONTINUITY") }
                if let now = time {
                    let milliseconds = Int((now * 1000).rounded())
                    let (second, rest) = (milliseconds / 1000, milliseconds % 1000)
                    let digits = [second / 60, second % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
                    let part = String("00\(rest)".suffix(3))
                    lines.append("#EXT-X-PROGRAM-DATE-TIME:2026-11-05T10:\(digits[0]):\(digits[1]).\(part)Z")
                    time = now + duration
                }
                lines += ["#EXTINF:\(duration),", "\(sequence + place).ts"]
            }
            return try Script.media(lines.joined(separator: "\n"))
        }
    }

    private static let four = [4.0, 4, 4]

    @Test(
        "the dates or the numbers of its entries determine where the other variant continues",
        arguments: [
            // By date: the entry after the last known one.
            (Load(10, four, date: 100), Load(70, four + [4], date: 100), .next(73)),
            (Load(10, four, date: 100), Load(70, four + [4, 4], date: 100.09), .next(73)),
            (Load(10, four, date: 100), Load(70, four, date: 100), .behind),
            (Load(10, four, date: 100), Load(70, four, date: 92), .behind),
            // Entries of other lengths: the entry that begins where the known entries end.
            (Load(10, four, date: 100), Load(70, [3, 3, 3, 3, 3], date: 100), .next(74)),
            (Load(10, four + [4], date: 100), Load(70, [3, 3, 3, 3, 3, 3], date: 100), .misaligned),
            (Load(10, four, date: 100), Load(70, four + [4], date: 100.2), .misaligned),
            // Dates of other clocks.
            (Load(10, four, date: 100), Load(70, four, date: 1000), .unmatched(.dates)),
            (Load(10, four, date: 1000), Load(70, four, date: 100), .unmatched(.dates)),
            // Without dates in one of them, by number.
            (Load(10, four), Load(10, four + [4]), .next(13)),
            (Load(10, four), Load(11, four + [4], date: 100), .next(13)),
            (Load(10, four), Load(9, four + [4]), .behind),
            (Load(10, four), Load(12, four), .unmatched(.numbers)),
            (Load(10, four), Load(70, four), .unmatched(.numbers)),
            (Load(10, [4, 3, 4]), Load(10, [4, 4, 4, 4]), .unmatched(.numbers)),
            (Load(10, four, breaks: [1]), Load(10, four + [4], breaks: [2]), .unmatched(.numbers)),
            (Load(10, four, breaks: [1]), Load(10, four + [4], breaks: [1]), .next(13)),
            // The playlist that players have states a shorter target duration.
            (Load(10, four, date: 100), Load(70, four + [4], date: 100, target: 5), .unmatched(.targetDuration)),
        ] as [(Load, Load, HLSVariantJoin)]
    )
    func joins(_ known: Load, _ other: Load, _ expected: HLSVariantJoin) throws {
        let found = HLSVariantJoin(after: try known.playlist().segments, in: try other.playlist(), limit: .seconds(4))
        #expect(found == expected)
    }

    @Test("a date decides, even where durations are rounded")
    func rounded() throws {
        // The real durations are 3.6 s, and the playlists state 4 s.
        let text = { (first: Int, count: Int) in
            (first..<first + count).map { place in
                let time = 10_000 + place * 3600
                let digits = String("00\(time % 1000)".suffix(3))
                return "#EXT-X-PROGRAM-DATE-TIME:2026-11-05T10:00:\(time / 1000).\(digits)Z\n#EXTINF:4,\n\(place).ts"
            }.joined(separator: "\n")
        }
        let known = try Script.media("#EXT-X-TARGETDURATION:4", text(0, 3))
        let other = try Script.media("#EXT-X-TARGETDURATION:4", "#EXT-X-MEDIA-SEQUENCE:40", text(1, 4))
        #expect(HLSVariantJoin(after: known.segments, in: other, limit: .seconds(4)) == .next(42))
    }

    @Test("an empty playlist is behind")
    func empty() throws {
        let known = try Load(10, Self.four).playlist()
        let other = try Script.media("#EXT-X-TARGETDURATION:4", "#EXT-X-MEDIA-SEQUENCE:13")
        #expect(HLSVariantJoin(after: known.segments, in: other, limit: .seconds(4)) == .behind)
    }
}
