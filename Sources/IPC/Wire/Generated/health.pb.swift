// Generated from grpc/health/v1/health.proto by scripts/generate-proto. DO NOT EDIT!

internal import CEngineProto

extension Proto {
    struct HealthCheckRequest: Equatable, Sendable {
        var service: String = ""
    }
}

extension Proto.HealthCheckRequest: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.healthCheckRequest) }

    init(reading reader: borrowing FieldReader) {
        service = reader.text(at: 1)
    }

    func write(to writer: inout FieldWriter) {
        writer.text(service, at: 1)
    }
}

extension Proto {
    struct HealthCheckResponse: Equatable, Sendable {
        var status: Proto.ServingStatus = Proto.ServingStatus(rawValue: 0)
    }
}

extension Proto.HealthCheckResponse: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.healthCheckResponse) }

    init(reading reader: borrowing FieldReader) {
        status = reader.choice(at: 1)
    }

    func write(to writer: inout FieldWriter) {
        writer.choice(status, at: 1)
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
