// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import EngineActors

@Suite("Sheets that were made", .timeLimit(.minutes(10)))
struct StoryboardSheetsTests {
    /// There is room for two such sheets.
    private func bytes(_ value: UInt8, count: Int = 3 << 20) -> [UInt8] { [UInt8](repeating: value, count: count) }

    @Test("the least recently used go first")
    func leastRecentlyUsed() {
        var sheets = StoryboardSheets()
        for index in 0..<2 { sheets.keep(bytes(0), index) }
        #expect(sheets.sheet(0) != nil)
        sheets.keep(bytes(0), 2)
        #expect([0, 1, 2].map { sheets.sheet($0) != nil } == [true, false, true])
    }

    @Test("the newest stays, however large it is, and alone then")
    func large() {
        var sheets = StoryboardSheets()
        sheets.keep(bytes(0), 0)
        sheets.keep(bytes(1, count: 9 << 20), 1)
        #expect(sheets.sheet(0) == nil && sheets.sheet(1)?.first == 1)
    }

    @Test("one that is made again takes the place of the first")
    func again() {
        var sheets = StoryboardSheets()
        for value in 0..<3 { sheets.keep(bytes(UInt8(value), count: 1), 0) }
        sheets.keep(bytes(9), 1)
        #expect(sheets.sheet(0)?.first == 2 && sheets.sheet(1)?.first == 9)
    }
}
