// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Stills

@Suite("The cache of finished stills")
struct StillCacheTests {
    private static func request(
        _ kind: StillRequest.Kind,
        _ seconds: Double,
        _ style: StillStyle = StillStyle()
    )
        -> StillRequest
    {
        StillRequest(kind, of: .session(nil), at: .seconds(seconds), style: style)
    }

    private static func still(at seconds: Double, bytes: Int = 10) -> Still {
        Still(
            bytes: [UInt8](repeating: 1, count: bytes),
            format: .jpeg,
            width: 1,
            height: 1,
            time: .seconds(seconds)
        )
    }

    @Test("a thumbnail is returned for requests in the same second, until the next keyframe")
    func thumbnails() {
        var cache = StillCache()
        cache.keep(Self.still(at: 4), until: .seconds(6.5), for: Self.request(.thumbnail, 6.2))
        #expect(cache.still(for: Self.request(.thumbnail, 6.4))?.time == .seconds(4))
        #expect(cache.still(for: Self.request(.thumbnail, 6.5)) == nil, "the next keyframe")
        #expect(cache.still(for: Self.request(.thumbnail, 5.9)) == nil, "another second")
        var small = StillStyle()
        small.maximumWidth = 10
        #expect(cache.still(for: Self.request(.thumbnail, 6.4, small)) == nil)
        #expect(cache.still(for: Self.request(.snapshot, 6.4)) == nil)
    }

    @Test("a snapshot is returned for requests while its frame is shown")
    func snapshots() {
        var cache = StillCache()
        cache.keep(Self.still(at: 4), until: .seconds(4.04), for: Self.request(.snapshot, 4.01))
        #expect(cache.still(for: Self.request(.snapshot, 4.039)) != nil)
        #expect(cache.still(for: Self.request(.snapshot, 4.04)) == nil)
        #expect(cache.still(for: Self.request(.snapshot, 3.99)) == nil)
        var small = StillStyle()
        small.maximumWidth = 10
        #expect(cache.still(for: Self.request(.snapshot, 4.01, small)) == nil)
    }

    @Test("the least recently used stills are evicted first, and snapshots do not evict thumbnails")
    func bounds() {
        var cache = StillCache()
        cache.keep(Self.still(at: 0), until: .seconds(1), for: Self.request(.thumbnail, 0))
        for number in 0..<20 {
            let seconds = Double(number)
            cache.keep(Self.still(at: seconds), until: .seconds(seconds + 1), for: Self.request(.snapshot, seconds))
            #expect(cache.still(for: Self.request(.snapshot, 0)) != nil, "used again and again")
        }
        #expect(cache.still(for: Self.request(.snapshot, 1)) == nil)
        #expect(cache.still(for: Self.request(.snapshot, 19)) != nil)
        #expect(cache.still(for: Self.request(.thumbnail, 0)) != nil)
        cache.keep(Self.still(at: 50, bytes: 64 << 20), until: .seconds(51), for: Self.request(.snapshot, 50))
        #expect(cache.still(for: Self.request(.snapshot, 50)) == nil, "larger than all there is room for")
    }
}
