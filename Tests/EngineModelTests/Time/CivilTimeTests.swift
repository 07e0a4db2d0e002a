// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import EngineModel

@Suite("Dates of the calendar")
struct CivilTimeTests {
    @Test(
        "microseconds since 1970 convert to a date and a time of day",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z", 4), (-1, "1969-12-31T23:59:59.999Z", 3),
            (951_825_599_000_000, "2000-02-29T11:59:59.000Z", 2), (951_868_800_000_000, "2000-03-01T00:00:00.000Z", 3),
            (1_795_000_000_123_456, "2026-11-18T11:06:40.123Z", 3),
            (4_107_542_400_000_000, "2100-03-01T00:00:00.000Z", 1),
            (-62_167_219_200_000_000, "0000-01-01T00:00:00.000Z", 6),
        ] as [(Int64, String, Int)]
    )
    func dates(microseconds: Int64, text: String, weekday: Int) {
        let time = CivilTime(unixMicroseconds: microseconds)
        #expect(time.text == text)
        #expect(time.weekday == weekday)
    }

    @Test("every day follows the one before it, through four centuries", .timeLimit(.minutes(5)))
    func days() {
        var last = CivilTime(unixMicroseconds: -86_400_000_000)
        for day in Int64(0)..<146_097 {
            let time = CivilTime(unixMicroseconds: day * 86_400_000_000)
            let follows =
                time.year == last.year && time.month == last.month && time.day == last.day + 1
                || time.day == 1 && (time.month == last.month + 1 || time.month == 1 && time.year == last.year + 1)
            if !follows || time.weekday != (last.weekday + 1) % 7 { Issue.record("\(time.text) after \(last.text)") }
            last = time
        }
        #expect(last.text == "2369-12-31T00:00:00.000Z")
    }
}
