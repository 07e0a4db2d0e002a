// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Bindings
@testable import Reading

@Suite("Where a timeline starts")
struct TimelineOriginTests {
    private static let milliseconds = TimeBase(1, 1000)

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var container = "matroska,webm"
        /// Times of the first packets, in milliseconds.
        var video: [Int64] = []
        var audio: [Int64] = []
        /// How much audio decoders discard, in milliseconds.
        var padding: Int64 = 0
        /// The expected origins in milliseconds, if the padding is skipped and if it is presented.
        let skipped: Int64
        let presented: Int64
    }

    @Test(
        "the timeline starts at the earliest picture or audio, but not before the container's zero",
        arguments: [
            Row(testDescription: "nothing is timed", skipped: 0, presented: 0),
            Row(testDescription: "video leads", video: [40, 80], audio: [60, 81], skipped: 40, presented: 40),
            Row(testDescription: "audio leads", video: [80], audio: [21, 42], skipped: 21, presented: 21),
            Row(testDescription: "pictures are reordered", video: [120, 40, 80], skipped: 40, presented: 40),
            Row(testDescription: "audio is not reordered", audio: [120, 40], skipped: 120, presented: 120),
            Row(testDescription: "pictures before zero", video: [-40, 0], skipped: 0, presented: 0),
            Row(
                testDescription: "padding that ends at zero",
                audio: [-10, 11],
                padding: 10,
                skipped: 0,
                presented: 0
            ),
            Row(testDescription: "padding that ends later", audio: [-10, 11], padding: 20, skipped: 10, presented: 0),
            Row(
                testDescription: "padding of audio that starts late",
                audio: [5],
                padding: 20,
                skipped: 5,
                presented: 5
            ),
            Row(
                testDescription: "a transport stream has no zero",
                container: "mpegts",
                video: [-40, 0],
                audio: [-100],
                skipped: -100,
                presented: -100
            ),
            Row(
                testDescription: "padding in a transport stream",
                container: "mpegts",
                audio: [-100],
                padding: 20,
                skipped: -80,
                presented: -100
            ),
        ]
    )
    func starts(_ row: Row) {
        let starts = [
            TimelineOrigin.Start(.fixture(0, .h264, base: Self.milliseconds), times: row.video),
            TimelineOrigin.Start(.fixture(1, .aac, base: Self.milliseconds, padding: row.padding), times: row.audio),
        ]
        let container = ContainerFormat(name: row.container)
        let skipped = TimelineOrigin(of: starts, in: container, padding: .skipped)
        let presented = TimelineOrigin(of: starts, in: container, padding: .presented)
        #expect(skipped.ticks(in: Self.milliseconds) == row.skipped)
        #expect(presented.ticks(in: Self.milliseconds) == row.presented)
    }

    @Test("times on the source's clock and on the timeline convert into each other")
    func conversions() {
        let origin = TimelineOrigin(.seconds(10))
        #expect(origin.presentation(of: .seconds(12)) == .seconds(2))
        #expect(origin.presentation(of: 900_000, in: TimeBase(1, 90_000)) == .zero)
        #expect(origin.source(of: .seconds(2)) == .seconds(12))
        #expect(origin.presentation(of: origin.source(of: .seconds(-3))) == .seconds(-3))
        #expect(TimelineOrigin.zero.presentation(of: 7, in: Self.milliseconds) == MediaTime(microseconds: 7000))
    }

    @Test(
        "the time of a tick converts back to the same tick, although times are rounded",
        arguments: [TimeBase(1, 24), TimeBase(1, 90_000), TimeBase(1001, 30_000), TimeBase(1, 1000)]
    )
    func roundTrip(_ base: TimeBase) {
        let origin = TimelineOrigin(MediaTime(microseconds: 33_367))
        for tick in Int64(0)..<2000 {
            #expect(origin.lastTick(atOrBefore: origin.presentation(of: tick, in: base), in: base) == tick)
        }
    }
}
