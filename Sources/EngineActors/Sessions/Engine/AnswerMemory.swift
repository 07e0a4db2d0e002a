// SPDX-License-Identifier: Apache-2.0

/// Keeps the latest answers of each session by request id, so that a request that is sent again changes nothing. Both
/// the ids per session and the sessions are limited; the oldest are dropped. Pure.
struct AnswerMemory<Answer> {
    static var idLimit: Int { 256 }
    static var sessionLimit: Int { 128 }

    private struct Ring {
        var answers: [String: Answer] = [:]
        var order: [String] = []
    }

    /// By the session id in the request; empty for the default session.
    private var rings: [String: Ring] = [:]
    private var order: [String] = []

    func answer(to id: String, of session: String) -> Answer? { rings[session]?.answers[id] }

    mutating func remember(_ answer: Answer, to id: String, of session: String) {
        if rings[session] == nil {
            if order.count == Self.sessionLimit { rings[order.removeFirst()] = nil }
            order.append(session)
        }
        var ring = rings.removeValue(forKey: session) ?? Ring()
        if ring.answers.updateValue(answer, forKey: id) == nil { ring.order.append(id) }
        if ring.order.count > Self.idLimit { ring.answers[ring.order.removeFirst()] = nil }
        rings[session] = ring
    }

    /// Forgets a request that failed, so that it can be tried again.
    mutating func forget(_ id: String, of session: String) {
        guard rings[session]?.answers.removeValue(forKey: id) != nil else { return }
        rings[session]?.order.removeAll { $0 == id }
    }
}
