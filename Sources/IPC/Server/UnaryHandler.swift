// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Wire

/// Receives one message and answers with one.
final class UnaryHandler: CallHandler {
    /// The work that a decoded request requires.
    enum Work {
        /// Answered on the event loop immediately: the framed response.
        case answer([UInt8])
        case refuse(GRPCStatus)
        case run(Body)
        /// Like `run`, for work that only changes state and does not wait for media.
        case runShort(Body)
    }

    typealias Body = @Sendable () async throws(EngineError) -> Answer

    enum Answer: Sendable {
        /// Ready to send.
        case framed([UInt8])
        /// The answer to `Load`.
        case loaded(SessionState)
        case performed(CommandResult)
    }

    typealias Operation = (_ message: [UInt8], _ core: ServerCore) throws(EngineError) -> Work

    private let core: ServerCore
    private let operation: Operation
    private var request: [UInt8]?
    private var response: [UInt8]?
    private var task: Task<Void, Never>?

    init(core: ServerCore, operation: @escaping Operation) {
        self.core = core
        self.operation = operation
    }

    func receive(_ message: [UInt8], on call: ServerCall) {
        guard request == nil else { return call.finish(.extraMessage) }
        request = message
    }

    func receiveEnd(on call: ServerCall) {
        guard let request else { return call.finish(.missingMessage) }
        do throws(EngineError) {
            switch try operation(request, core) {
            case .answer(let framed): answer(framed, on: call)
            case .refuse(let status): call.finish(status)
            case .run(let body): task = call.run(body) { [weak self] in self?.answer($0, on: call) }
            case .runShort(let body):
                task = call.run(isShort: true, body) { [weak self] in self?.answer($0, on: call) }
            }
        } catch {
            call.finish(GRPCStatus(error))
        }
    }

    func nextMessage() -> [UInt8]? {
        defer { response = nil }
        return response
    }

    func callEnded() { task?.cancel() }

    private func answer(_ answer: Answer, on call: ServerCall) {
        switch answer {
        case .framed(let framed):
            core.watches.drain()
            self.answer(framed, on: call)
        case .loaded(let state):
            core.watches.adopt(state)
            self.answer(state.framedLoadResponse(), on: call)
        case .performed(let result):
            core.watches.adopt(result.state)
            self.answer(core.watches.hub.entry(result.state.id)?.response(to: result) ?? result.framed(), on: call)
        }
    }

    private func answer(_ framed: [UInt8], on call: ServerCall) {
        response = framed
        call.finish(.ok)
    }
}

extension ServerCall {
    /// Runs engine work for this call. The call ends if the work fails, or if the client has too many tasks running.
    ///
    /// - Parameter completion: called on the event loop if the work succeeds.
    /// - Returns: `nil` if the work was not started.
    func run<Value: Sendable>(
        isShort: Bool = false,
        _ body: @escaping @Sendable () async throws(EngineError) -> Value,
        completion: @escaping (Value) -> Void
    ) -> Task<Void, Never>? {
        guard let connection else { return nil }
        let quota = connection.quota
        guard quota.takeTask() else {
            finish(GRPCStatus(.resourceExhausted, "too many calls of this client are running"))
            return nil
        }
        return connection.core.tasks.run(isShort: isShort, body) { result in
            quota.giveBackTask()
            switch result {
            case .success(let answer): completion(answer)
            case .failure(let error): self.finish(GRPCStatus(error))
            }
        }
    }
}
