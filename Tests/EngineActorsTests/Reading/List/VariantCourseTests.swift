// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Bindings
@testable import Reading

@Suite("Segments of other variants on the software path")
struct VariantCourseTests {
    private static func list(_ durations: [Double], breaks: Set<Int> = [], gaps: Set<Int> = []) -> SegmentList {
        SegmentList(
            durations.enumerated().map { index, duration in
                SegmentList.Entry(
                    resource: ListedResource(url: "\(index)"),
                    duration: .seconds(duration),
                    isDiscontinuous: breaks.contains(index),
                    isGap: gaps.contains(index)
                )
            }
        )
    }

    /// A list of another variant, and its segments that can be read instead of those of the leading list.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let other: SegmentList
        let places: [Int]

        init(_ name: String, _ other: SegmentList, _ places: [Int]) {
            (testDescription, self.other, self.places) = (name, other, places)
        }
    }

    /// Beside segments of 4, 4, 4 and 2 s, with a discontinuity before the third.
    private static let cases = [
        Case("equal lists", list([4, 4, 4, 2], breaks: [2]), [0, 1, 2, 3]),
        Case("durations rounded differently", list([4.04, 3.98, 4.05, 2], breaks: [2]), [0, 1, 2, 3]),
        Case("differences add up", list([4.04, 4.04, 4.04, 2], breaks: [2]), [0, 1]),
        Case("one segment is longer", list([4, 4.2, 3.8, 2], breaks: [2]), [0, 3]),
        Case("other lengths", list([6, 6, 2], breaks: [2]), []),
        Case("a shorter list", list([4, 4], breaks: []), [0, 1]),
        Case("no discontinuity", list([4, 4, 4, 2]), [0, 1]),
        Case("missing media", list([4, 4, 4, 2], breaks: [2], gaps: [1]), [0, 2, 3]),
    ]

    @Test("a segment replaces another one if both have the same place in the presentation", arguments: cases)
    func replaces(each: Case) {
        let lead = Self.list([4, 4, 4, 2], breaks: [2])
        #expect((-1..<5).filter { each.other.replaces($0, of: lead) } == each.places)
    }

    private static let turn = Double(Int64(1) << 33) / 90_000

    @Test(
        "a segment of another variant has the offset of the group that it belongs to, unless its clock is another one",
        arguments: [
            // The group begins at 8 s of the list, and at 1 s of its own clock: its offset is 17 s. The segment begins at 12 s.
            (5.0, 17.0), (5.08, 17), (3.5, 17), (7.9, 17), (5 - turn, 17 + turn), (100, -78), (1, 21),
        ]
    )
    func clocks(anchor: Double, offset: Double) {
        let group = ListClock(anchor: .seconds(1), offset: .seconds(17), start: .seconds(8))
        let clock = group.replaced(by: .seconds(anchor), at: .seconds(12), number: 1)
        #expect(abs(clock.offset.seconds - offset) < 1e-5)
        #expect(clock.anchor == .seconds(anchor) && clock.start == .seconds(12))
    }
}
