// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Stills

@Suite("Times of contact sheet pictures")
struct ContactSheetTimesTests {
    @Test("the midpoints of equal parts")
    func middles() {
        #expect(ContactSheetTimes.times(count: 4, of: .seconds(8)) == [1, 3, 5, 7].map { .seconds($0) })
        #expect(ContactSheetTimes.times(count: 2, of: .zero) == [.zero, .zero])
        #expect(ContactSheetTimes.times(count: 400, of: MediaTime(microseconds: .max)).count == 400)
    }
}
