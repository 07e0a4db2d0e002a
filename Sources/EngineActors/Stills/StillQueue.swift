// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// Decides which requests are served. Requests in line are all served; of the others, only the newest of each kind.
/// Pure.
struct StillQueue {
    /// A request in the queue.
    struct Ticket: Hashable {
        let kind: StillRequest.Kind
        let turn: Turn
    }

    /// The order in which a request is served.
    enum Turn: Hashable {
        /// After all requests that were queued before it.
        case inLine
        /// Like `inLine`, but only if no request of the same kind with a higher `arrival` was queued. Requests may be
        /// queued in another order than they arrived.
        case newest(arrival: UInt64)
    }

    /// The maximum number of requests in line.
    static let limit = 512

    private var newest: [StillRequest.Kind: UInt64] = [:]
    private var waiting = 0
    private(set) var isClosed = false

    /// - Throws: `resourceExhausted` when too many requests are queued, `cancelled` once the queue is closed.
    mutating func take(_ kind: StillRequest.Kind, _ turn: Turn) throws(EngineError) -> Ticket {
        guard !isClosed else { throw EngineError(.cancelled, "the source is closed") }
        switch turn {
        case .inLine where waiting >= Self.limit:
            throw EngineError(.resourceExhausted, "the limit of \(waiting) pending stills of this source is reached")
        case .inLine: waiting += 1
        case .newest(let arrival): newest[kind] = max(arrival, newest[kind] ?? 0)
        }
        return Ticket(kind: kind, turn: turn)
    }

    mutating func giveBack(_ ticket: Ticket) { if ticket.turn == .inLine { waiting -= 1 } }

    /// Whether a request must still be served.
    func isCurrent(_ ticket: Ticket) -> Bool {
        switch ticket.turn {
        case .inLine: !isClosed
        case .newest(let arrival): !isClosed && newest[ticket.kind] == arrival
        }
    }

    mutating func close() { isClosed = true }
}
