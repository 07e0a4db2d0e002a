// SPDX-License-Identifier: Apache-2.0

import EngineModel
@testable import Packaging
import Testing

/// The properties that are derived from the files of a disc: its main title, the clock of a title, and the times of its
/// entry points.
struct TitleTests {
    private struct Unreadable: Error {}

    private static func title(
        _ clips: [String],
        seconds: Double,
        chapters: Int = 0,
        isReferenced: Bool = false
    ) -> TitleRanking.Candidate {
        TitleRanking.Candidate(
            parts: clips.map { .init(clip: $0, start: 0, end: 1) },
            duration: .seconds(seconds),
            chapterCount: chapters,
            isReferenced: isReferenced
        )
    }

    @Test
    func longestTitleIsTheMainOne() {
        let titles = [
            Self.title(["1"], seconds: 30), Self.title(["2"], seconds: 7200, chapters: 20),
            Self.title(["3"], seconds: 600),
        ]
        #expect(TitleRanking.main(of: titles) == .init(place: 1, isGuess: false))
    }

    @Test
    func decoysAndCopiesAreNotTheMainTitle() {
        let titles = [
            Self.title(["9", "9", "9", "1"], seconds: 9000), Self.title(["1", "2"], seconds: 7200),
            Self.title(["1", "2"], seconds: 7200), Self.title(["3"], seconds: 9),
        ]
        #expect(TitleRanking.main(of: titles) == .init(place: 1, isGuess: false))
    }

    @Test
    func titleThatTheDiscPlaysIsPreferredAmongLongOnes() {
        var titles = (0..<20).map { Self.title(["\($0)", "x"], seconds: 7200 + Double($0)) }
        #expect(TitleRanking.main(of: titles) == .init(place: 19, isGuess: true))
        titles[7] = Self.title(["7", "x"], seconds: 7000, isReferenced: true)
        #expect(TitleRanking.main(of: titles) == .init(place: 7, isGuess: false))
        // A logo that the disc plays first is not the main title.
        titles[7] = Self.title(["logo"], seconds: 20, isReferenced: true)
        #expect(TitleRanking.main(of: titles) == .init(place: 19, isGuess: true))
    }

    @Test
    func discOfShortTitlesHasAMainOne() {
        #expect(TitleRanking.main(of: [Self.title(["1"], seconds: 3)]) == .init(place: 0, isGuess: false))
        #expect(TitleRanking.main(of: []) == nil)
    }

    @Test
    func partsHaveOneClock() {
        let turn: Int64 = 1 << 33
        let timeline = TitleTimeline([
            .init(position: 0, entry: turn - 1000, start: 0, duration: 90_000),
            .init(position: 5000, entry: 7, start: 90_000, duration: 45_000),
        ])
        #expect(timeline.duration == 135_000)
        #expect([0, 4999, 5000, 9000].map { timeline.stretch(at: $0) } == [0, 0, 1, 1])
        // The clock of the first part wraps within it.
        #expect(timeline.stretches[0].placed(turn - 1000) == 0)
        #expect(timeline.stretches[0].placed(500) == 1500)
        #expect(timeline.stretches[0].placed(turn - 4000) == -3000)
        #expect(timeline.stretches[1].placed(7 + 45_000) == 135_000)
    }

    /// The code of each frame rate, and the time of a frame by its number, as an encoder rounds it.
    private static let rates: [(code: UInt8, time: @Sendable (Int64) -> Int64)] = [
        (1, { ($0 * 15_015 + 2) / 4 }), (2, { $0 * 3750 }), (3, { $0 * 3600 }), (4, { $0 * 3003 }), (6, { $0 * 1800 }),
        (7, { $0 * 3003 / 2 }),
    ]

    @Test(arguments: 0..<6)
    func cutTimesAreRestored(place: Int) throws {
        let (code, time) = Self.rates[place]
        let exact = (0..<400).map { (number: Int64) in 12_345 + time(number * 24 + number % 7) }
        var reads = 0
        let found = try #require(EntryTimes(rate: code)).exact(
            exact.map { $0 & ~0x1FF },
            isSampled: { $0 % 100 == 0 },
            read: { index throws(Unreadable) in
                reads += 1
                return exact[index]
            }
        )
        #expect(found == exact)
        // The four sampled entries, and at most one for each class of fields (`EntryTimes`).
        #expect(reads <= 4 + 8)
    }

    @Test(arguments: rates.indices, [0, 1, 255, 256, 511])
    func readsAreKnownBefore(place: Int, cut: Int64) throws {
        let (code, time) = Self.rates[place]
        let times = try #require(EntryTimes(rate: code))
        let exact = (0..<400).map { (number: Int64) in (12_345 &* 512) + cut + time(number * 24 + number % 7) }
        var reads: [Int] = []
        let truncated = exact.map { $0 & ~0x1FF }
        _ = try times.exact(truncated, isSampled: { $0 % 100 == 0 }) { index throws(Unreadable) in
            reads.append(index)
            return exact[index]
        }
        let expected = times.expectedReads(truncated, isSampled: { $0 % 100 == 0 })
        // The missing bits may put an entry point into the next class, of which it then seems to be the first.
        #expect(Set(expected).isSuperset(of: reads) && expected.count <= 4 + 8)
        #expect(times.expectedReads([], isSampled: { _ in true }) == [])
    }

    @Test
    func timesOffTheGridAreNotGuessed() throws {
        let times = try #require(EntryTimes(rate: 3))
        let exact = (0..<40).map { (number: Int) -> Int64 in Int64(number * 90_000 + (number > 20 ? 300 : 0)) }
        let cut = exact.map { $0 & ~0x1FF }
        #expect(times.exact(cut, isSampled: { $0 == 30 }, read: { exact[$0] }) == nil)
        // A sampled entry cannot be read.
        #expect(times.exact(cut, isSampled: { $0 == 10 }, read: { $0 == 10 ? nil : exact[$0] }) == nil)
        #expect(times.exact([], isSampled: { _ in true }, read: { _ in nil }) == [])
        #expect(EntryTimes(rate: 5) == nil)
    }
}
