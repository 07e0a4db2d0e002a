// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Reading

@Suite("Switches between live variants")
struct LiveLadderTests {
    private static let second: Int64 = 1_000_000_000

    /// The variants 2, 0 and 1 in ascending order of bandwidth.
    private static func ladder(playing played: Int) throws -> LiveLadder {
        let rungs = [(0, 2000), (1, 8000), (2, 1000)].map { LiveLadder.Rung(index: $0, bandwidth: $1) }
        return try #require(LiveLadder(rungs, playing: played))
    }

    @Test("there is no ladder with only one variant, or without the one that is played")
    func none() {
        #expect(LiveLadder([.init(index: 0, bandwidth: 1)], playing: 0) == nil)
        #expect(LiveLadder([.init(index: 0, bandwidth: 1), .init(index: 1, bandwidth: 2)], playing: 7) == nil)
    }

    @Test("a variant is played once it has joined, and a notice says which, where and why")
    func joins() throws {
        var ladder = try Self.ladder(playing: 1)
        #expect(ladder.current == 1 && ladder.played == nil)
        #expect(ladder.wanted(estimate: 9000, isLate: false, now: 0) == nil)
        let change = try #require(ladder.wanted(estimate: 3000, isLate: false, now: 0))
        #expect(change.index == 0 && ladder.current == 1)
        let notice = ladder.joined(change, at: .seconds(12), now: 0)
        #expect(ladder.current == 0 && ladder.played?.index == 0)
        #expect(notice.code == "live.variant_changed" && notice.severity == .info)
        #expect(
            notice.message
                == "from 12.0 s on, variant 0 (2000 bit/s) is played instead of variant 1 (8000 bit/s): "
                + "the bandwidth is too low for variant 1; 3000 bit/s were measured"
        )
        let late = try #require(ladder.wanted(estimate: nil, isLate: true, now: 4 * Self.second))
        _ = ladder.joined(late, at: .seconds(16), now: 4 * Self.second)
        #expect(ladder.played == PlayedVariant(index: 2, reason: "segments of variant 0 arrived late"))
        let up = try #require(ladder.wanted(estimate: 99_999, isLate: false, now: 12 * Self.second))
        _ = ladder.joined(up, at: .seconds(24), now: 12 * Self.second)
        #expect(ladder.played?.reason == "the bandwidth suffices; 99999 bit/s were measured")
    }

    @Test("a variant that is behind is awaited for two loads, and tried again after 30 s")
    func waits() throws {
        var ladder = try Self.ladder(playing: 1)
        let change = try #require(ladder.wanted(estimate: 3000, isLate: false, now: 0))
        #expect((1...3).map { _ in ladder.waits(for: change, now: 0) } == [true, true, false])
        #expect(ladder.current == 1)
        // The next lower one remains.
        #expect(ladder.wanted(estimate: 3000, isLate: false, now: 30 * Self.second - 1)?.index == 2)
        #expect(ladder.wanted(estimate: 3000, isLate: false, now: 30 * Self.second)?.index == 0)
        #expect((1...3).map { _ in ladder.waits(for: change, now: 0) } == [true, true, false])
        // An attempt at another boundary begins the count again.
        _ = ladder.waits(for: change, now: 0)
        ladder.passed()
        #expect((1...3).map { _ in ladder.waits(for: change, now: 0) } == [true, true, false])
    }

    @Test("the notices about a presentation that is not live have other codes")
    func codes() throws {
        let rungs = [LiveLadder.Rung(index: 0, bandwidth: 1000), LiveLadder.Rung(index: 1, bandwidth: 3000)]
        var ladder = try #require(LiveLadder(rungs, playing: 1, isLive: false))
        let change = try #require(ladder.wanted(estimate: 2000, isLate: false, now: 0))
        let failure = ladder.failed(change, because: "x", now: 0)
        #expect(failure?.code == "source.variant_unusable" && failure?.severity == .warning)
        let notice = ladder.joined(change, at: .seconds(4), now: 0)
        #expect(notice.code == "source.variant_changed" && notice.severity == .info && ladder.current == 0)
    }

    @Test("a variant that cannot follow is reported once, and tried again after 30 s")
    func failures() throws {
        var ladder = try Self.ladder(playing: 1)
        let change = try #require(ladder.wanted(estimate: 3000, isLate: false, now: 0))
        let notice = ladder.failed(change, because: "its dates come from another clock", now: 0)
        #expect(notice?.code == "live.variant_unusable" && notice?.severity == .warning)
        #expect(
            notice?.message
                == "variant 0 cannot follow variant 1, which continues: its dates come from another clock"
        )
        let later = try #require(ladder.wanted(estimate: 1500, isLate: false, now: 1))
        let second = ladder.failed(later, because: "x", now: 1)
        #expect(later.index == 2 && second != nil)
        #expect(ladder.wanted(estimate: 1500, isLate: false, now: 2) == nil)
        let again = try #require(ladder.wanted(estimate: 3000, isLate: false, now: 31 * Self.second))
        let repeated = ladder.failed(again, because: "x", now: 31 * Self.second)
        #expect(again.index == 0 && repeated == nil)
    }
}

@Suite("How fast segments arrive")
struct SegmentThroughputTests {
    private static let second: Int64 = 1_000_000_000

    /// - Parameter times: when each fetch begins and ends, in seconds. Each brings 100,000 bytes that play for 2 s.
    private static func measured(_ times: [(Double, Double)]) -> SegmentThroughput {
        var throughput = SegmentThroughput()
        var fetches: [Int: SegmentThroughput.Fetch] = [:]
        let events = times.enumerated().flatMap { [($1.0, $0, true), ($1.1, $0, false)] }.sorted { $0.0 < $1.0 }
        for (time, number, isStart) in events {
            let now = Int64(time * 1e9)
            if isStart {
                fetches[number] = throughput.begin(now: now)
            } else if let fetch = fetches[number] {
                throughput.end(fetch, bytes: 100_000, lasting: .seconds(2), now: now)
            }
        }
        return throughput
    }

    /// A fetch every two seconds.
    private static func fetches(_ numbers: Range<Int>, lasting seconds: Double) -> [(Double, Double)] {
        numbers.map { number in
            let start = Double(number) * 2
            return (start, start + seconds)
        }
    }

    @Test(
        "time without a fetch does not count, and concurrent fetches are added up",
        arguments: [
            ([(0, 1)], 800_000), ([(0, 1), (1.5, 2.5), (90, 91)], 800_000), ([(0, 2), (0, 2)], 800_000),
            ([(0, 1), (0.5, 2)], 800_000),
        ] as [([(Double, Double)], Double)]
    )
    func means(_ times: [(Double, Double)], _ expected: Double) throws {
        let means = try #require(Self.measured(times).means)
        #expect(abs(means.fast - expected) < 1 && abs(means.slow - expected) < 1)
    }

    @Test("a drop lowers the estimate at once, and a rise raises it after a while, even if fetches are short")
    func follows() throws {
        var times = Self.fetches(0..<20, lasting: 0.01)
        let fast = try #require(Self.measured(times).means?.estimate)
        #expect(abs(fast - 80_000_000) < 100)
        times.append((40, 44))
        let dropped = try #require(Self.measured(times).means)
        #expect(dropped.estimate == dropped.fast && dropped.fast < dropped.slow && dropped.slow < 1_000_000)
        times += Self.fetches(22..<30, lasting: 2)
        let low = try #require(Self.measured(times).means?.estimate)
        #expect(low > dropped.fast && low < 400_001)
        times += Self.fetches(30..<36, lasting: 0.01)
        let risen = try #require(Self.measured(times).means)
        #expect(risen.estimate == risen.slow && risen.slow > 1_000_000 && risen.slow < 0.3 * risen.fast)
    }

    @Test(
        "the share is the time of fetching divided by the time for which the media plays",
        arguments: [([(0, 1)], 0.5), ([(0, 1), (2, 3)], 0.5), ([(0, 3), (0, 3)], 0.75)]
            as [([(Double, Double)], Double)]
    )
    func share(_ times: [(Double, Double)], _ expected: Double) {
        #expect(Self.measured(times).share.map { abs($0 - expected) < 0.001 } == true)
        #expect(SegmentThroughput().share == nil)
    }

    @Test("a failed fetch and a few bytes are no measurement")
    func ignored() {
        var throughput = SegmentThroughput()
        let failed = throughput.begin(now: 0)
        throughput.end(failed, bytes: 0, lasting: .seconds(2), now: 30 * Self.second)
        #expect(throughput.means == nil)
        let small = throughput.begin(now: 40 * Self.second)
        throughput.end(small, bytes: 1000, lasting: .seconds(2), now: 41 * Self.second)
        #expect(throughput.means == nil)
        let fetch = throughput.begin(now: 50 * Self.second)
        throughput.end(fetch, bytes: 99_000, lasting: .seconds(2), now: 51 * Self.second)
        #expect(throughput.means.map { abs($0.estimate - 400_000) < 1 } == true)
    }

    @Test("a fetch is late once it has run for longer than the limit")
    func late() {
        var throughput = SegmentThroughput()
        #expect(!throughput.isLate(by: .seconds(2), now: 99 * Self.second))
        let fetch = throughput.begin(now: Self.second)
        #expect(!throughput.isLate(by: .seconds(2), now: 3 * Self.second))
        #expect(throughput.isLate(by: .seconds(2), now: 3 * Self.second + 1))
        throughput.end(fetch, bytes: 1, lasting: .seconds(2), now: 4 * Self.second)
        #expect(!throughput.isLate(by: .seconds(2), now: 9 * Self.second))
    }
}
