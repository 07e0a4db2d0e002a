// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import EngineRuntime

/// Attachments that nobody has come for yet, by ticket.
///
/// Thread-safety: safe.
final class HandoverDesk: Sendable {
    private struct Waiting {
        let handover: any Handover
        let end: Int64
    }

    /// How long a ticket is good for.
    private static let patience: Int64 = 10_000_000_000
    /// Tickets that nobody has shown.
    static let ticketLimit = 64

    private let waiting = Locked<[HandoverTicket: Waiting]>([:])

    /// - Throws: `resourceExhausted` when too many are waited for.
    func issue(_ handover: any Handover) throws(EngineError) -> HandoverTicket {
        let now = monotonicNanoseconds()
        let ticket = HandoverTicket(randomBytes(HandoverTicket.byteCount))
        let (isIssued, late) = waiting.withLock { waiting in
            let late = waiting.filter { $0.value.end <= now }
            for ticket in late.keys { waiting[ticket] = nil }
            guard let ticket, waiting.count < Self.ticketLimit else { return (false, late) }
            waiting[ticket] = Waiting(handover: handover, end: now + Self.patience)
            return (true, late)
        }
        for entry in late.values { entry.handover.ended() }
        guard isIssued, let ticket else {
            throw EngineError(.resourceExhausted, "\(Self.ticketLimit) attachments wait for their front-ends")
        }
        return ticket
    }

    func claim(_ ticket: HandoverTicket) -> (any Handover)? {
        guard let entry = waiting.withLock({ $0.removeValue(forKey: ticket) }) else { return nil }
        guard entry.end > monotonicNanoseconds() else {
            entry.handover.ended()
            return nil
        }
        return entry.handover
    }
}
