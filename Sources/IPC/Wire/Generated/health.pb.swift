// Generated from grpc/health/v1/health.proto by scripts/generate-proto. DO NOT EDIT!

internal import CEngineProto

extension Proto {
    struct HealthCheckRequest: Equatable, Sendable {
        var service: String = ""
    }
}

extension Proto.HealthCheckRequest: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Grpc__Health__V1__HealthCheckRequest>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe grpc__health__v1__health_check_request__init(pointer.assumingMemoryBound(to: Grpc__Health__V1__HealthCheckRequest.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Grpc__Health__V1__HealthCheckRequest.self)
        service = unsafe readText(c.pointee.service)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Grpc__Health__V1__HealthCheckRequest.self)
        unsafe c.pointee.service = arena.text(service)
    }
}

extension Proto {
    struct HealthCheckResponse: Equatable, Sendable {
        var status: Proto.ServingStatus = Proto.ServingStatus(rawValue: 0)
    }
}

extension Proto.HealthCheckResponse: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Grpc__Health__V1__HealthCheckResponse>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe grpc__health__v1__health_check_response__init(pointer.assumingMemoryBound(to: Grpc__Health__V1__HealthCheckResponse.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Grpc__Health__V1__HealthCheckResponse.self)
        status = unsafe Proto.ServingStatus(rawValue: c.pointee.status.rawValue)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Grpc__Health__V1__HealthCheckResponse.self)
        unsafe c.pointee.status.rawValue = status.rawValue
    }
}

extension Proto {
    struct ServingStatus: ProtobufEnum {
        var rawValue: UInt32

        static let unknown = Self(rawValue: 0)
        static let serving = Self(rawValue: 1)
        static let notServing = Self(rawValue: 2)
        static let serviceUnknown = Self(rawValue: 3)
    }
}

extension Grpc__Health__V1__HealthCheckResponse__ServingStatus: ProtobufCEnum {}
