// SPDX-License-Identifier: Apache-2.0

import EngineTestKit
@testable import Packaging
import Testing

/// Parts of files that consist of several runs.
struct ByteRunsTests {
    @Test
    func partHasTheBytesOfTheFile() {
        var random = SplitMix(state: 3)
        for _ in 0..<200 {
            let ranges = (0..<Int.random(in: 0...6, using: &random)).map { _ -> Range<Int64> in
                let start = Int64.random(in: 0...50, using: &random)
                return start..<start + Int64.random(in: 0...5, using: &random)
            }
            let runs = ByteRuns(ranges)
            let bytes = ranges.flatMap { Array($0) }
            #expect(runs.byteCount == Int64(bytes.count))
            for low in 0...bytes.count {
                for high in low...bytes.count + 2 {
                    let part = runs.part(Int64(low)..<Int64(high))
                    #expect(part.flatMap { Array($0) } == Array(bytes[low..<min(high, bytes.count)]))
                    #expect(part.allSatisfy { !$0.isEmpty })
                    #expect(runs.places(of: Int64(low)..<Int64(high)).count == part.count)
                }
            }
        }
    }

    @Test(arguments: [([], 0), ([3], 0), ([1], 1), ([1, 3], 1), ([1, 1, 2, 3, 3], 3), ([1, 2], 2)])
    func firstElementThatMeetsAConditionIsFound(values: [Int], place: Int) {
        #expect(values.place { $0 > 2 } == place)
    }
}
