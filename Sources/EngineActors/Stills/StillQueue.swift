// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// Decides which requests are served. Of those that do not wait their turn, only the newest of each kind is served.
/// Pure.
struct StillQueue {
    /// A place in the queue.
    struct Ticket: Hashable {
        let number: UInt64
        let kind: StillRequest.Kind
        let waitsItsTurn: Bool
    }

    /// Limit of requests that wait their turn.
    static let limit = 512

    private var last: UInt64 = 0
    private var newest: [StillRequest.Kind: UInt64] = [:]
    private var waiting = 0
    private(set) var isClosed = false

    /// - Throws: `resourceExhausted` when too many requests are queued, `cancelled` once the queue is closed.
    mutating func take(_ kind: StillRequest.Kind, waitsItsTurn: Bool) throws(EngineError) -> Ticket {
        guard !isClosed else { throw EngineError(.cancelled, "the source is closed") }
        guard !waitsItsTurn || waiting < Self.limit else {
            throw EngineError(.resourceExhausted, "the limit of \(waiting) pending stills of this source is reached")
        }
        last += 1
        if waitsItsTurn { waiting += 1 } else { newest[kind] = last }
        return Ticket(number: last, kind: kind, waitsItsTurn: waitsItsTurn)
    }

    mutating func giveBack(_ ticket: Ticket) { if ticket.waitsItsTurn { waiting -= 1 } }

    /// Whether a request is still wanted.
    func isCurrent(_ ticket: Ticket) -> Bool {
        !isClosed && (ticket.waitsItsTurn || newest[ticket.kind] == ticket.number)
    }

    mutating func close() { isClosed = true }
}
