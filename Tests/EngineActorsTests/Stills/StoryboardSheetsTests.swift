// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Stills

@Suite("Storyboard sheets in memory", .timeLimit(.minutes(10)))
struct StoryboardSheetsTests {
    /// The bytes of a sheet. The cache has room for two sheets of the default size.
    private func bytes(_ value: UInt8, count: Int = 3 << 20) -> [UInt8] { [UInt8](repeating: value, count: count) }

    @Test("the least recently used sheets are evicted first")
    func leastRecentlyUsed() {
        var sheets = StoryboardSheets()
        for index in 0..<2 { sheets.keep(bytes(0), index) }
        #expect(sheets.sheet(0) != nil)
        sheets.keep(bytes(0), 2)
        #expect([0, 1, 2].map { sheets.sheet($0) != nil } == [true, false, true])
    }

    @Test("the newest sheet is kept whatever its size, alone if necessary")
    func large() {
        var sheets = StoryboardSheets()
        sheets.keep(bytes(0), 0)
        sheets.keep(bytes(1, count: 9 << 20), 1)
        #expect(sheets.sheet(0) == nil && sheets.sheet(1)?.first == 1)
    }

    @Test("a sheet that is made again replaces the first")
    func again() {
        var sheets = StoryboardSheets()
        for value in 0..<3 { sheets.keep(bytes(UInt8(value), count: 1), 0) }
        sheets.keep(bytes(9), 1)
        #expect(sheets.sheet(0)?.first == 2 && sheets.sheet(1)?.first == 9)
    }
}
