// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// Keeps the latest answers of each session by request id, so that a request that is sent again changes nothing. Both
/// the ids per session and the sessions are limited; the oldest are dropped. Pure.
struct IdempotencyCache<Answer> {
    static var idLimit: Int { 256 }
    static var sessionLimit: Int { 1024 }

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

/// Carries out requests with the same id once: a repeated request gets the answer of the first, and waits for it if
/// necessary. After a failure, the next request is carried out again.
///
/// Belongs to the engine's actor.
final class RepeatedRequests<Value: Sendable> {
    private var memory = IdempotencyCache<Task<Result<Value, EngineError>, Never>>()

    /// - Parameters:
    ///   - id: the id of the request; if it is empty, `work` is always done, in the caller's task.
    ///   - work: is done in a task of its own if there is an `id`. Cancelling any caller that waits for that task
    ///     cancels it.
    func answer(
        _ id: String,
        of session: SessionID?,
        isolation: isolated (any Actor)? = #isolation,
        by work: @escaping () async throws(EngineError) -> Value
    ) async throws(EngineError) -> Value {
        guard !id.isEmpty else { return try await work() }
        let session = session?.rawValue ?? ""
        if let answer = memory.answer(to: id, of: session) { return try await Self.result(of: answer) }
        // The task ends with its work. Any caller that is cancelled while it waits cancels it.
        let answer = Task {
            _ = isolation
            do throws(EngineError) {
                return Result<Value, EngineError>.success(try await work())
            } catch {
                self.memory.forget(id, of: session)
                return .failure(error)
            }
        }
        memory.remember(answer, to: id, of: session)
        return try await Self.result(of: answer)
    }

    private static func result(of task: Task<Result<Value, EngineError>, Never>) async throws(EngineError) -> Value {
        let result = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        return try result.get()
    }
}
