// SPDX-License-Identifier: Apache-2.0

package import EngineModel
internal import EngineRuntime

/// Keeps unclaimed handovers by their tickets, and the handovers of each session.
///
/// Thread-safety: safe.
package final class HandoverRegistry: Sendable {
    package init() {}
    private struct Waiting {
        let handover: any Handover
        let end: Int64
    }

    private struct Member {
        let session: SessionID
        weak var handover: (any SinkHandover)?
    }

    /// How long a ticket is valid, in nanoseconds.
    private static let patience: Int64 = 10_000_000_000
    /// Maximum number of unclaimed tickets.
    static let ticketLimit = 64

    private let waiting = Locked<[HandoverTicket: Waiting]>([:])
    private let members = Locked<[Member]>([])

    /// - Throws: `resourceExhausted` when too many tickets are unclaimed.
    package func issue(
        _ handover: any SinkHandover,
        of session: SessionID
    ) throws(EngineError) -> HandoverTicket {
        let ticket = try issue(handover)
        members.withLock { members in
            members.removeAll { $0.handover == nil }
            members.append(Member(session: session, handover: handover))
        }
        return ticket
    }

    /// Issues a ticket for a handover that belongs to no session.
    ///
    /// - Throws: `resourceExhausted` when too many tickets are unclaimed.
    package func issue(_ handover: any Handover) throws(EngineError) -> HandoverTicket {
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
            throw EngineError(.resourceExhausted, "\(Self.ticketLimit) attachments are already waiting for clients")
        }
        return ticket
    }

    package func claim(_ ticket: HandoverTicket) -> (any Handover)? {
        guard let entry = waiting.withLock({ $0.removeValue(forKey: ticket) }) else { return nil }
        guard entry.end > monotonicNanoseconds() else {
            entry.handover.ended()
            return nil
        }
        return entry.handover
    }

    /// Ends all handovers of a session that has ended.
    package func end(_ session: SessionID) {
        let ended = members.withLock { members in
            defer { members.removeAll { $0.session == session || $0.handover == nil } }
            return members.filter { $0.session == session }.compactMap(\.handover)
        }
        for handover in ended { handover.end(because: .session) }
    }
}
