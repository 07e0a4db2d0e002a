// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Packaging

@Suite("Trusting a container's index")
struct IndexTrustTests {
    private func verdict(_ times: [Int64], start: Int64 = 0, end: Int64) -> IndexTrust {
        IndexTrust.judge(times: times, start: start, end: end, largestGap: 30)
    }

    @Test("trusts even spacing and long GOPs")
    func trusted() {
        #expect(verdict([0, 4, 8, 12], end: 16) == .trusted)
        #expect(verdict([0, 30, 60], end: 90) == .trusted)
        #expect(verdict([0], end: 3) == .trusted)
        #expect(verdict([7, 30], end: 40) == .trusted, "it starts a quarter of the gap late")
    }

    @Test("rejects gaps, indexes of the beginning only, late starts and empty indexes")
    func rejected() {
        #expect(verdict([0, 4, 404], end: 410) == .rejected("the index has a gap"))
        #expect(verdict([0, 2], end: 7200) == .rejected("the index ends long before the source"))
        #expect(verdict([20, 24], end: 30) == .rejected("the index starts late"))
        #expect(verdict([], end: 30) == .rejected("the index is empty"))
    }
}
