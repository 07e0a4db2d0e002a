// SPDX-License-Identifier: Apache-2.0

package import Bindings

/// Recognizes servers that serve fewer connections at once than they accept: they reset further connections, or let
/// them wait until the others are closed. Pure; times are in nanoseconds of CLOCK_MONOTONIC.
package struct ConnectionWatch: Sendable {
    private struct Transfer {
        let origin: ResourceURL.Origin
        var isAnswered = false
        /// Whether the server answered another transfer while this one ran, on a connection that is still open.
        var hasAnsweredOther: Bool
    }

    /// The maximum number of origins that are remembered.
    private static let limit = 1000
    /// How long a server may take to notice that a connection was closed.
    private static let closureDelay: Int64 = 2_000_000_000

    private var transfers: [UInt64: Transfer] = [:]
    /// The origins that have answered at least once.
    private var answering: Set<ResourceURL.Origin> = []
    /// The origins that have answered on a new connection while another one was open.
    private var parallel: Set<ResourceURL.Origin> = []
    /// When a connection was last closed in the middle of a response.
    private var lastClosure: [ResourceURL.Origin: Int64] = [:]

    package init() {}

    /// Call when a transfer starts.
    package mutating func began(_ id: UInt64, at origin: ResourceURL.Origin) {
        let hasAnswered = transfers.values.contains { $0.origin == origin && $0.isAnswered }
        transfers[id] = Transfer(origin: origin, hasAnsweredOther: hasAnswered)
    }

    /// Call when a transfer has received the head of its response. Further calls have no effect.
    package mutating func answered(_ id: UInt64, isNewConnection: Bool) {
        guard let transfer = transfers[id], !transfer.isAnswered else { return }
        let origin = transfer.origin
        if max(answering.count, parallel.count) >= Self.limit { (answering, parallel) = ([], []) }
        answering.insert(origin)
        if isNewConnection && transfer.hasAnsweredOther { parallel.insert(origin) }
        transfers[id]?.isAnswered = true
        for (other, found) in transfers where other != id && found.origin == origin {
            transfers[other]?.hasAnsweredOther = true
        }
    }

    /// Call when a transfer has ended.
    ///
    /// - Parameter keepsConnection: whether the connection of the transfer stays open.
    package mutating func ended(_ id: UInt64, keepsConnection: Bool, now: Int64) {
        guard let ended = transfers.removeValue(forKey: id), !keepsConnection, ended.isAnswered else { return }
        if lastClosure.count >= Self.limit { lastClosure = [:] }
        lastClosure[ended.origin] = now
        for (id, other) in transfers where other.origin == ended.origin { transfers[id]?.hasAnsweredOther = false }
    }

    /// Whether the server may have closed the connection of this transfer, before any answer, because of other
    /// connections: others are open, or it may not have noticed yet that one was closed. `false` if the server has
    /// never answered.
    package func isRejected(_ id: UInt64, now: Int64) -> Bool {
        guard let transfer = transfers[id], !transfer.isAnswered, answering.contains(transfer.origin) else {
            return false
        }
        let isAlone = !transfers.contains { $0.key != id && $0.value.origin == transfer.origin }
        guard isAlone, !transfer.hasAnsweredOther else { return true }
        return lastClosure[transfer.origin].map { now - $0 < Self.closureDelay } ?? false
    }

    /// Whether a silent transfer on a new connection probably waits until another connection is closed: the server
    /// answers others, and has never served two at once. If it has, its answer may just take long.
    package func isBlocked(_ id: UInt64) -> Bool {
        guard let transfer = transfers[id], !transfer.isAnswered else { return false }
        return transfer.hasAnsweredOther && !parallel.contains(transfer.origin)
    }
}
