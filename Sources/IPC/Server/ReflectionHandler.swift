// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Wire

/// `ServerReflection`, v1 and v1alpha: answers one question after another until the client ends the call.
final class ReflectionHandler: CallHandler {
    static var table: [String: MethodTable.Factory] {
        [
            "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo": { _ in ReflectionHandler() },
            "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo": { _ in ReflectionHandler() },
        ]
    }

    /// The maximum number of queued questions of a client that does not read the answers.
    private static let longestQueue = 64

    private var questions: [ReflectionRequest] = []

    func receive(_ message: [UInt8], on call: ServerCall) {
        guard questions.count < Self.longestQueue else {
            return call.finish(GRPCStatus(.resourceExhausted, "\(Self.longestQueue) requests are already pending"))
        }
        do throws(EngineError) {
            questions.append(try ReflectionRequest(wire: message))
            call.resume()
        } catch {
            call.finish(GRPCStatus(error))
        }
    }

    func receiveEnd(on call: ServerCall) { call.finish(.ok) }

    func nextMessage() -> [UInt8]? {
        guard !questions.isEmpty else { return nil }
        let request = questions.removeFirst()
        return answer(request.question).framed(for: request)
    }

    func callEnded() {}

    private func answer(_ question: ReflectionRequest.Question) -> ReflectionAnswer {
        let set = DescriptorSet.builtIn
        switch question {
        case .listServices: return .services(set.services)
        case .fileByName(let name):
            return set.file(named: name).map { .files(set.closure(of: $0)) }
                ?? .failure(.notFound, "unknown file \(name)")
        case .fileContainingSymbol(let symbol):
            return set.file(defining: symbol).map { .files(set.closure(of: $0)) }
                ?? .failure(.notFound, "unknown symbol \(symbol)")
        case .fileContainingExtension(let type, _), .extensionNumbers(let type):
            return .failure(.notFound, "\(type) has no extensions")
        case .none: return .failure(.invalidArgument, "the kind of request is unknown")
        }
    }
}
