// SPDX-License-Identifier: Apache-2.0

/// The latest answers of each session by the ids of their requests, so that a request that is sent again changes nothing.
/// Bounded: so many ids a session, so many sessions. Pure.
struct AnswerMemory<Answer> {
    static var idLimit: Int { 256 }
    static var sessionLimit: Int { 128 }

    private struct Ring {
        var answers: [String: Answer] = [:]
        var order: [String] = []
    }

    /// By what requests call the session; empty for the default one.
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

    /// It failed, so it may be tried again.
    mutating func forget(_ id: String, of session: String) {
        guard rings[session]?.answers.removeValue(forKey: id) != nil else { return }
        rings[session]?.order.removeAll { $0 == id }
    }
}
