// SPDX-License-Identifier: Apache-2.0

internal import CEngineProto
package import EngineModel

/// The two messages of `grpc.health.v1`.
package enum HealthMessages {
    package enum Status: UInt32 {
        case unknown = 0
        case serving, notServing, serviceUnknown
    }

    package static func service(wire bytes: [UInt8]) throws(EngineError) -> String {
        try unsafe decode(bytes, as: Grpc__Health__V1__HealthCheckRequest.self) { wire throws(EngineError) in
            unsafe text(wire.service)
        }
    }

    package static func framedRequest(service: String) -> [UInt8] {
        unsafe encodeFramed { arena in
            let wire = unsafe arena.message(Grpc__Health__V1__HealthCheckRequest.self)
            unsafe wire.pointee.service = arena.string(service)
            return unsafe wire
        }
    }

    package static func framed(_ status: Status) -> [UInt8] {
        unsafe encodeFramed { arena in
            let wire = unsafe arena.message(Grpc__Health__V1__HealthCheckResponse.self)
            unsafe wire.pointee.status = Grpc__Health__V1__HealthCheckResponse__ServingStatus(rawValue: status.rawValue)
            return unsafe wire
        }
    }

    package static func status(wire bytes: [UInt8]) throws(EngineError) -> Status {
        try unsafe decode(bytes, as: Grpc__Health__V1__HealthCheckResponse.self) { wire throws(EngineError) in
            unsafe Status(rawValue: wire.status.rawValue) ?? .unknown
        }
    }
}
