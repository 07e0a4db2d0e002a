// SPDX-License-Identifier: Apache-2.0

package import Bindings

/// Limits the concurrent transfers of each origin. Pure; times are in nanoseconds of CLOCK_MONOTONIC.
package struct OriginBudget: Sendable {
    private struct Account {
        var ceiling: Int
        var active = 0
        /// Transfers whose server is silent. They are not among the active ones.
        var silent = 0
        var lastRefusal: Int64?
        /// Transfers that wait, in the order in which they will start.
        var queue: [(id: UInt64, isUrgent: Bool)] = []
    }

    /// The time without a refusal after which the ceiling of an origin rises by one.
    private static let recovery: Int64 = 60_000_000_000
    /// Refusals within this time of the previous one count as one: they belong to concurrent requests.
    private static let burst: Int64 = 1_000_000_000
    /// How many transfers whose server is silent need not count, for each transfer within the limit.
    private static let silentShare = 6

    private let limit: Int
    private var accounts: [ResourceURL.Origin: Account] = [:]

    package init(limit: Int = 5) { self.limit = max(1, limit) }

    /// Requests permission to start a transfer.
    ///
    /// - Parameter isUrgent: whether a reader waits for the bytes; urgent transfers are queued before others.
    /// - Returns: whether the transfer may start now; if not, it is queued, and `release` returns its id later.
    package mutating func acquire(_ id: UInt64, at origin: ResourceURL.Origin, isUrgent: Bool) -> Bool {
        var account = accounts[origin] ?? Account(ceiling: limit)
        defer { accounts[origin] = account }
        if account.active < account.ceiling {
            account.active += 1
            return true
        }
        let place = isUrgent ? account.queue.firstIndex { !$0.isUrgent } ?? account.queue.count : account.queue.count
        account.queue.insert((id, isUrgent), at: place)
        return false
    }

    /// Removes a transfer from the queue. Has no effect on a transfer that may run already.
    package mutating func withdraw(_ id: UInt64, from origin: ResourceURL.Origin) {
        accounts[origin]?.queue.removeAll { $0.id == id }
    }

    /// Records that a transfer of the origin has ended, or does not count any more. Call once for each transfer.
    ///
    /// - Returns: the queued transfers that may start now.
    package mutating func release(at origin: ResourceURL.Origin, now: Int64) -> [UInt64] {
        guard var account = accounts[origin], account.active > 0 else { return [] }
        account.active -= 1
        while account.ceiling < limit, let refusal = account.lastRefusal, now - refusal >= Self.recovery {
            account.ceiling += 1
            account.lastRefusal = refusal + Self.recovery
        }
        let free = max(0, min(account.ceiling - account.active, account.queue.count))
        let next = account.queue.prefix(free).map(\.id)
        account.queue.removeFirst(free)
        account.active += free
        set(account, of: origin)
        return next
    }

    private mutating func set(_ account: Account, of origin: ResourceURL.Origin) {
        let isIdle = account.active == 0 && account.silent == 0 && account.ceiling == limit
        accounts[origin] = isIdle ? nil : account
    }

    /// Stops counting a transfer whose server has sent nothing for a while, so that it keeps no other one waiting.
    ///
    /// - Returns: the queued transfers that may start now. `nil`: it still counts, because too many are silent.
    package mutating func fellSilent(at origin: ResourceURL.Origin, now: Int64) -> [UInt64]? {
        guard let account = accounts[origin], account.active > 0, account.silent < Self.silentShare * limit else {
            return nil
        }
        accounts[origin]?.silent += 1
        return release(at: origin, now: now)
    }

    /// Counts a silent transfer again, because its server sends again. More transfers than the ceiling may then run.
    package mutating func spoke(at origin: ResourceURL.Origin) {
        guard let silent = accounts[origin]?.silent, silent > 0 else { return }
        accounts[origin]?.silent -= 1
        accounts[origin]?.active += 1
    }

    /// Records that a silent transfer has ended.
    package mutating func silentEnded(at origin: ResourceURL.Origin) {
        guard var account = accounts[origin], account.silent > 0 else { return }
        account.silent -= 1
        set(account, of: origin)
    }

    /// Halves the ceiling of an origin that refused a request because it is overloaded (429, 503, 509).
    package mutating func refused(by origin: ResourceURL.Origin, now: Int64) {
        var account = accounts[origin] ?? Account(ceiling: limit)
        if account.lastRefusal.map({ now - $0 >= Self.burst }) ?? true {
            account.ceiling = max(1, min(account.ceiling, max(1, account.active)) / 2)
        }
        account.lastRefusal = now
        accounts[origin] = account
    }

    /// Lowers the ceiling of an origin that does not serve one of its connections: to the number of the others. Call
    /// while the transfer on that connection counts as active.
    package mutating func leftUnserved(by origin: ResourceURL.Origin, now: Int64) {
        var account = accounts[origin] ?? Account(ceiling: limit)
        account.ceiling = max(1, min(account.ceiling, account.active - 1))
        account.lastRefusal = now
        accounts[origin] = account
    }

    /// The number of transfers that may run at once.
    package func ceiling(of origin: ResourceURL.Origin) -> Int { accounts[origin]?.ceiling ?? limit }
}
