// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Packaging
import Testing

@testable import Reading

@Suite("What a live stream keeps")
struct LiveWindowTests {
    private static let byteRate: Int64 = 1_000_000

    /// A plan of segments of two seconds, with a megabyte for each second.
    private func plan(_ seconds: Int64) -> SegmentPlan {
        let boundaries = stride(from: Int64(0), through: seconds, by: 2).map { second in
            Keyframe(time: second * 90_000 + 77, seekTimestamp: 0, position: second * Self.byteRate)
        }
        return SegmentPlan(timeBase: .hertz(90_000), boundaries: boundaries, origin: .scan)
    }

    /// The change once the first `seconds` of a stream have arrived: in real time, unless `elapsed` is given.
    private func change(
        _ window: inout LiveWindow,
        at seconds: Int64,
        after elapsed: Int64? = nil,
        room: Int64 = .max
    ) -> LiveWindow.Change? {
        window.update(
            plan(seconds),
            newest: seconds * Self.byteRate,
            room: room,
            elapsed: .seconds(Double(elapsed ?? seconds))
        )
    }

    private func slide(to second: Int64, keeping kept: Int64) -> LiveWindow.Change {
        .slides(to: second * Self.byteRate, keeping: kept * Self.byteRate)
    }

    @Test("is its newest media by time; three more segments can still be fetched")
    func time() {
        var window = LiveWindow(.init(duration: .seconds(60), byteCount: .max))
        #expect(change(&window, at: 10) == nil && change(&window, at: 60) == nil)
        #expect(change(&window, at: 62) == slide(to: 2, keeping: 0))
        #expect(change(&window, at: 62) == nil, "nothing has come")
        #expect(change(&window, at: 70) == slide(to: 10, keeping: 4))
        #expect(change(&window, at: 4000) == slide(to: 3940, keeping: 3934))
    }

    @Test(
        "is its newest media by size, including media that can still be fetched, as far as there is room",
        arguments: [(40_000_000, Int64.max), (.max, 40_000_000)] as [(Int64, Int64)]
    )
    func size(limit: Int64, room: Int64) {
        var window = LiveWindow(.init(duration: .seconds(3600), byteCount: limit))
        #expect(change(&window, at: 40, room: room) == nil)
        // The limit includes the segments that are no longer listed: 34 MB are listed, and 40 MB are kept.
        #expect(change(&window, at: 42, room: room) == slide(to: 8, keeping: 2))
        #expect(change(&window, at: 100, room: room) == slide(to: 66, keeping: 60))
    }

    @Test("begins after the segments that an earlier process announced")
    func continued() {
        var window = LiveWindow(.init(duration: .seconds(60), byteCount: .max))
        func change(at seconds: Int64) -> LiveWindow.Change? {
            var plan = plan(seconds)
            let earlier = (0..<500).map {
                Keyframe(time: Int64($0 - 500) * 180_000 + 77, seekTimestamp: 0, position: SegmentPlan.nowhere)
            }
            plan.boundaries.insert(contentsOf: earlier, at: 0)
            let newest = seconds * Self.byteRate
            return window.update(plan, newest: newest, room: .max, elapsed: .seconds(Double(seconds)))
        }
        #expect(change(at: 10) == nil && change(at: 60) == nil)
        #expect(change(at: 62) == slide(to: 2, keeping: 0))
        #expect(change(at: 70) == slide(to: 10, keeping: 4))
    }

    @Test("is at least six segments")
    func fewest() {
        var window = LiveWindow(.init(duration: .seconds(1), byteCount: 1))
        #expect(change(&window, at: 12) == nil)
        #expect(change(&window, at: 14) == slide(to: 2, keeping: 0))
        #expect(change(&window, at: 100) == slide(to: 88, keeping: 82))
    }

    @Test("is everything if the media arrives much faster than real time: the stream is then a recording")
    func recordings() {
        var film = LiveWindow(.init(duration: .seconds(60), byteCount: .max))
        #expect(change(&film, at: 40, after: 1) == nil)
        #expect(change(&film, at: 62, after: 1) == .holdsBack)
        #expect(change(&film, at: 4000, after: 2) == nil && change(&film, at: 4000, after: 9000) == nil)
        // A server may begin with what it has kept, and may catch up after a silence.
        var channel = LiveWindow(.init(duration: .seconds(60), byteCount: .max))
        #expect(change(&channel, at: 30, after: 1) == nil)
        #expect(change(&channel, at: 62, after: 30) == slide(to: 2, keeping: 0))
        #expect(change(&channel, at: 600, after: 60) == slide(to: 540, keeping: 534))
    }
}
