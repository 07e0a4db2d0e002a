// SPDX-License-Identifier: Apache-2.0

package import Bindings

/// Bounds the transfers that run at once with each origin. Pure; times are in nanoseconds of CLOCK_MONOTONIC.
package struct OriginBudget: Sendable {
    private struct Account {
        var ceiling: Int
        var active = 0
        var lastRefusal: Int64?
        /// In the order in which they are served.
        var queue: [(id: UInt64, isUrgent: Bool)] = []
    }

    /// How long an origin must not have refused before it gets one more connection again.
    private static let recovery: Int64 = 60_000_000_000
    /// Refusals of requests that ran side by side come within this time and count as one.
    private static let volley: Int64 = 1_000_000_000

    private let most: Int
    private var accounts: [ResourceURL.Origin: Account] = [:]

    package init(most: Int = 4) { self.most = max(1, most) }

    /// Asks for a place.
    ///
    /// - Parameter isUrgent: goes before what is not, because somebody waits for it.
    /// - Returns: whether it is there; if not, `release` returns the id later.
    package mutating func ask(_ id: UInt64, at origin: ResourceURL.Origin, isUrgent: Bool) -> Bool {
        var account = accounts[origin] ?? Account(ceiling: most)
        defer { accounts[origin] = account }
        if account.active < account.ceiling {
            account.active += 1
            return true
        }
        let place = isUrgent ? account.queue.firstIndex { !$0.isUrgent } ?? account.queue.count : account.queue.count
        account.queue.insert((id, isUrgent), at: place)
        return false
    }

    /// Leaves the queue. Does nothing for what already has a place.
    package mutating func withdraw(_ id: UInt64, from origin: ResourceURL.Origin) {
        accounts[origin]?.queue.removeAll { $0.id == id }
    }

    /// Gives a place back.
    ///
    /// - Returns: who has a place now.
    package mutating func release(at origin: ResourceURL.Origin, now: Int64) -> [UInt64] {
        guard var account = accounts[origin], account.active > 0 else { return [] }
        account.active -= 1
        while account.ceiling < most, let refusal = account.lastRefusal, now - refusal >= Self.recovery {
            account.ceiling += 1
            account.lastRefusal = refusal + Self.recovery
        }
        let free = max(0, min(account.ceiling - account.active, account.queue.count))
        let next = account.queue.prefix(free).map(\.id)
        account.queue.removeFirst(free)
        account.active += free
        accounts[origin] = account.active == 0 && account.ceiling == most ? nil : account
        return next
    }

    /// The origin refused for want of room (429, 503, a connection that was reset at its start): half as many from now
    /// on.
    package mutating func refused(by origin: ResourceURL.Origin, now: Int64) {
        var account = accounts[origin] ?? Account(ceiling: most)
        if account.lastRefusal.map({ now - $0 >= Self.volley }) ?? true {
            account.ceiling = max(1, min(account.ceiling, max(1, account.active)) / 2)
        }
        account.lastRefusal = now
        accounts[origin] = account
    }

    /// How many may run at once. With 1 there is no room for anything speculative.
    package func ceiling(of origin: ResourceURL.Origin) -> Int { accounts[origin]?.ceiling ?? most }
}
