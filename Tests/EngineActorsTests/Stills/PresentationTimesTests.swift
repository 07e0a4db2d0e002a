// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Stills

@Suite("Presentation times from decode times only")
struct PresentationTimesTests {
    @Test(
        "follow the order of the decoder's output",
        arguments: [
            // I P B B P B B from the start of a source.
            ([0, 2, 3, 1, 5, 6, 4], Array(0..<7), [0, 1, 2, 3, 4, 5, 6]),
            // The two pictures that follow the keyframe in decoding order are shown before it, and cannot be decoded.
            ([10, 14, 15, 13], Array(10..<16), [12, 13, 14, 15]),
            // The third picture was never output.
            ([10, 11, 13], Array(10..<14), [10, 11, 13]),
            ([], [0], []),
        ] as [([Int64], [Int64], [Int64])]
    )
    func order(output: [Int64], sent: [Int64], shown: [Int64]) {
        #expect(PresentationTimes.times(of: output, sent: sent) == shown)
    }

    @Test("known times from the container correct the derived ones")
    func correction() {
        #expect(PresentationTimes.corrected([0, 1, 2, 3], by: [nil, 3, nil, 9]) == [2, 3, 4, 9])
        #expect(PresentationTimes.corrected([5, 6], by: [nil, nil]) == [5, 6])
        #expect(PresentationTimes.corrected([.max, 1], by: [.min, nil]).count == 2)
    }
}
