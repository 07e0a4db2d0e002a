// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Wire

/// `grpc.health.v1.Health`. The status is SERVING while the server runs; at shutdown, a watch ends with UNAVAILABLE.
enum HealthMethods {
    static let services: Set<String> = [
        "", "engine.v1.Engine", "grpc.health.v1.Health", "grpc.reflection.v1.ServerReflection",
        "grpc.reflection.v1alpha.ServerReflection",
    ]

    static var table: [String: MethodTable.Factory] {
        [
            "/grpc.health.v1.Health/Check": { core in
                UnaryHandler(core: core) { bytes, _ throws(EngineError) in
                    let service = try HealthMessages.service(wire: bytes)
                    return services.contains(service)
                        ? .answer(HealthMessages.framed(.serving))
                        : .refuse(GRPCStatus(.notFound, "unknown service \(service)"))
                }
            },
            "/grpc.health.v1.Health/Watch": { _ in HealthWatchHandler() },
        ]
    }
}

/// Sends the status of a service once and stays open, because the status does not change while the server runs.
final class HealthWatchHandler: CallHandler {
    private var request: [UInt8]?
    private var response: [UInt8]?

    func receive(_ message: [UInt8], on call: ServerCall) {
        guard request == nil else { return call.finish(.extraMessage) }
        request = message
    }

    func receiveEnd(on call: ServerCall) {
        do throws(EngineError) {
            let service = try HealthMessages.service(wire: request ?? [])
            let isKnown = HealthMethods.services.contains(service)
            response = HealthMessages.framed(isKnown ? .serving : .serviceUnknown)
            call.open()
        } catch {
            call.finish(GRPCStatus(error))
        }
    }

    func nextMessage() -> [UInt8]? {
        defer { response = nil }
        return response
    }

    func callEnded() {}
}
