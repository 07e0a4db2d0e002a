// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Stills

@Suite("Times of contact sheet frames")
struct ContactSheetTimesTests {
    @Test("are the midpoints of equal parts")
    func middles() {
        let parts = ContactSheetTimes.parts(count: 4, of: .seconds(8))
        #expect(parts.map(\.middle) == [1, 3, 5, 7].map { .seconds($0) })
        #expect(parts.map(\.start) == [0, 2, 4, 6].map { .seconds($0) })
        #expect(ContactSheetTimes.parts(count: 2, of: .zero).map(\.middle) == [.zero, .zero])
        #expect(ContactSheetTimes.parts(count: 400, of: MediaTime(microseconds: .max)).count == 400)
    }

    @Test(
        "a keyframe of an earlier part does not represent a part",
        arguments: [(1.9, false), (2.0, true), (2.5, true)]
    )
    func keyframes(_ seconds: Double, isInPart: Bool) {
        let part = ContactSheetTimes.parts(count: 4, of: .seconds(8))[1]
        #expect(part.has(keyframe: .seconds(seconds)) == isInPart)
    }
}
