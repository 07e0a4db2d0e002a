// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// The two messages of `grpc.health.v1`.
package enum HealthMessages {
    package enum Status: UInt32 {
        case unknown = 0
        case serving, notServing, serviceUnknown
    }

    package static func service(wire bytes: [UInt8]) throws(EngineError) -> String {
        try Proto.HealthCheckRequest(bytes).service
    }

    package static func framedRequest(service: String) -> [UInt8] {
        Proto.HealthCheckRequest(service: service).framed()
    }

    package static func framed(_ status: Status) -> [UInt8] {
        Proto.HealthCheckResponse(status: Proto.ServingStatus(rawValue: status.rawValue)).framed()
    }

    package static func status(wire bytes: [UInt8]) throws(EngineError) -> Status {
        try Status(rawValue: Proto.HealthCheckResponse(bytes).status.rawValue) ?? .unknown
    }
}
