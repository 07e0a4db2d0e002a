// SPDX-License-Identifier: Apache-2.0

import Bindings
import Testing

@testable import Transfers

private let mib: Int64 = 1 << 20

@Suite("Range demand")
struct RangeDemandTests {
    private let edges = [0..<256 << 10, 100 * mib - 256 << 10..<100 * mib] as [Range<Int64>]

    /// A demand with one reader in the middle of the source.
    private func demand(cacheByteLimit: Int = 64 << 20) -> RangeDemand {
        var demand = RangeDemand(FetchPlanner.Limits(), cacheByteLimit: cacheByteLimit)
        demand.readerWaits(1, for: 50 * mib..<50 * mib + 1)
        return demand
    }

    /// The ranges of the requests that start now.
    private func starts(
        _ demand: inout RangeDemand,
        received: Int64 = 0,
        beside running: [FetchPlanner.Fetch] = [],
        parallel: Int = 5
    ) -> [Range<Int64>] {
        var traffic = TrafficCounter()
        traffic.received(received, now: 0)
        let plan = demand.plan(
            byteCount: 100 * mib,
            held: RangeSet64(),
            beside: running,
            parallel: parallel,
            traffic,
            now: 0
        )
        return plan.compactMap { if case .start(let range, _) = $0 { range } else { nil } }
    }

    @Test("While a likely copy is looked up, only the ends are requested")
    func likely() {
        var demand = demand()
        demand.search(edges, isLikely: true)
        let during = starts(&demand)
        #expect(!during.isEmpty)
        #expect(during.allSatisfy { range in edges.contains { $0.clamped(to: range) == range } })
        demand.endSearch()
        let after = starts(&demand)
        #expect(after.contains { $0.contains(50 * mib) })
        #expect(!after.contains { range in edges.contains { $0.overlaps(range) } })
    }

    @Test("The ends for an unlikely copy are requested only after 1 MiB was received, beside what readers need")
    func unlikely() {
        var demand = demand()
        demand.search(edges, isLikely: false)
        let before = starts(&demand, received: RangeDemand.patience - 1)
        #expect(before.contains { $0.contains(50 * mib) })
        #expect(!before.contains { range in edges.contains { $0.overlaps(range) } })
        let after = starts(&demand, received: RangeDemand.patience)
        #expect(after.contains { $0.contains(50 * mib) })
        #expect(after.contains { $0.overlaps(edges[0]) })
    }

    @Test("No more requests run at a time than allowed")
    func parallel() {
        var demand = demand()
        let running = [FetchPlanner.Fetch(id: 7, range: 10 * mib..<11 * mib)]
        demand.readerWaits(2, for: 10 * mib..<11 * mib)
        let refused = starts(&demand, beside: running, parallel: 1)
        let allowed = starts(&demand, beside: running, parallel: 2)
        #expect(refused.isEmpty && allowed.count == 1)
    }

    @Test(
        "A request that reads ahead takes at most an eighth of the cache",
        arguments: [(4 << 20, 512 << 10), (64 << 20, 8 << 20)]
    )
    func small(cacheByteLimit: Int, length: Int) {
        var demand = demand(cacheByteLimit: cacheByteLimit)
        demand.readerRead(1, 50 * mib..<58 * mib)
        let requests = starts(&demand)
        #expect(requests.map(\.count) == [length])
    }

    @Test("Nothing is requested for a reader that has left")
    func left() {
        var demand = demand()
        demand.readerLeft(1)
        let requests = starts(&demand)
        #expect(requests.isEmpty)
    }
}
