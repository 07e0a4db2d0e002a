// SPDX-License-Identifier: Apache-2.0

internal import EngineClient
internal import EngineJSON
internal import EngineModel
internal import Loopback

/// Performs the calls of authorised requests.
struct WebCalls: Sendable {
    let link: EngineConnection
    let streams = OpenStreams()

    /// - Parameters:
    ///   - name: the name of an RPC, or `RenderReport`.
    ///   - isAllowed: whether the caller's token is still valid. Event streams end when it is not.
    func respond(
        to name: String,
        _ body: [UInt8],
        while isAllowed: @escaping @Sendable () -> Bool
    ) async -> ControlResponse {
        do {
            let value: JSON
            do throws(JSONError) {
                value = try JSON(parsing: body)
            } catch {
                throw EngineError(.invalidArgument, "the body is not JSON: it \(error.reason) at byte \(error.offset)")
            }
            guard case .object = value else { throw EngineError(.invalidArgument, "the body is not a JSON object") }
            if name == "RenderReport" { return try await report(value) }
            guard let method = Contract.builtIn.methods.first(where: { $0.name == name }), WebMethods.isServed(method)
            else { return .refusal(.notFound) }
            let message = try MessageWriter(contract: .builtIn).bytes(of: value, as: method.input)
            guard method.answersStream else { return try await call(method, message) }
            return try await stream(method, message, while: isAllowed)
        } catch let error as EngineError {
            return .refusal(Refusal(status: error.code == .resourceExhausted ? 429 : 400, error: error))
        } catch let error as EngineClientError {
            return .failure(error)
        } catch {
            return .refusal(Refusal(status: 500, error: EngineError(.internal, "the call failed", cause: "\(error)")))
        }
    }

    private func call(_ method: Contract.Method, _ message: [UInt8]) async throws -> ControlResponse {
        let client = try await link.connected()
        let answer: [UInt8]
        do throws(EngineClientError) {
            answer = try await client.answer(method.name, message)
        } catch {
            if error.isConnectionLoss { await link.drop(client) }
            throw error
        }
        guard let json = try WebMethods.json(method, answer) else {
            throw EngineError(.internal, "the engine's answer is of an unknown kind")
        }
        return .json(json)
    }

    private func stream(
        _ method: Contract.Method,
        _ message: [UInt8],
        while isAllowed: @escaping @Sendable () -> Bool
    ) async throws -> ControlResponse {
        guard streams.reserve() else {
            throw EngineError(.resourceExhausted, "\(OpenStreams.limit) event streams are already open")
        }
        let client: EngineClient
        do throws(EngineClientError) {
            client = try await link.connected()
        } catch {
            streams.release()
            throw error
        }
        let call = await client.call(method.name, message, isComplete: !method.takesStream)
        let number = streams.fill(call)
        // Tells a renderer the number of its attachment, which it must send with each report.
        let first = JSON.object(("event", .string("attached")), ("attachment", .integer(number)))
        let start = method.takesStream ? first : nil
        let stream = EventStream(call, of: method, after: start, while: isAllowed) { [streams] in
            streams.remove(number)
        }
        return .events(stream)
    }

    /// Adds a report to the `Render` call of an attachment.
    private func report(_ value: JSON) async throws -> ControlResponse {
        guard case .whole(let number)? = value["attachment"], let report = value["report"],
            case .object = report
        else { throw EngineError.invalid("attachment", "and report are required") }
        let request = JSON.object(("report", report))
        let message = try MessageWriter(contract: .builtIn).bytes(of: request, as: "engine.v1.RenderRequest")
        guard let number = UInt64(exactly: number), let call = streams.call(number) else {
            throw EngineClientError(.notFound, "the attachment has ended", code: .rendererConflict)
        }
        await call.send(message)
        return .json(.object([]))
    }
}
