// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Server
@testable import Wire

@Suite("A rate limit with bursts")
struct TokenBucketTests {
    @Test("a burst up to the capacity passes, then the rate applies")
    func burst() {
        var bucket = TokenBucket(capacity: 10, perSecond: 2)
        let second: Int64 = 1_000_000_000
        let burst = (0..<11).map { _ in bucket.take(at: 0) }
        #expect(burst == Array(repeating: true, count: 10) + [false])
        let trickle = [bucket.take(at: second / 2), bucket.take(at: second / 2 + 1)]
        #expect(trickle == [true, false])
        let later = (0..<11).map { _ in bucket.take(at: 60 * second) }
        #expect(later == burst)
    }
}
