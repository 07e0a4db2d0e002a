// Generated from grpc/reflection/v1/reflection.proto by scripts/generate-proto. DO NOT EDIT!

internal import CEngineProto

extension Proto {
    struct ServerReflectionRequest: Equatable, Sendable {
        indirect enum MessageRequest: Equatable, Sendable {
            case fileByFilename(String)
            case fileContainingSymbol(String)
            case fileContainingExtension(Proto.ExtensionRequest)
            case allExtensionNumbersOfType(String)
            case listServices(String)
        }

        var host: String = ""
        var messageRequest: MessageRequest?
    }
}

extension Proto.ServerReflectionRequest: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.serverReflectionRequest) }

    init(reading reader: borrowing FieldReader) {
        host = reader.text(at: 1)
        if reader.isSet(at: 3) {
            messageRequest = MessageRequest.fileByFilename(reader.text(at: 3))
        } else if reader.isSet(at: 4) {
            messageRequest = MessageRequest.fileContainingSymbol(reader.text(at: 4))
        } else if reader.isSet(at: 5) {
            messageRequest = reader.message(at: 5).map(MessageRequest.fileContainingExtension)
        } else if reader.isSet(at: 6) {
            messageRequest = MessageRequest.allExtensionNumbersOfType(reader.text(at: 6))
        } else if reader.isSet(at: 7) {
            messageRequest = MessageRequest.listServices(reader.text(at: 7))
        }
    }

    func write(to writer: inout FieldWriter) {
        writer.text(host, at: 1)
        switch messageRequest {
        case .fileByFilename(let value): writer.text(value, at: 3)
        case .fileContainingSymbol(let value): writer.text(value, at: 4)
        case .fileContainingExtension(let value): writer.message(value, at: 5)
        case .allExtensionNumbersOfType(let value): writer.text(value, at: 6)
        case .listServices(let value): writer.text(value, at: 7)
        case nil: break
        }
    }
}

extension Proto {
    struct ExtensionRequest: Equatable, Sendable {
        var containingType: String = ""
        var extensionNumber: Int32 = 0
    }
}

extension Proto.ExtensionRequest: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.extensionRequest) }

    init(reading reader: borrowing FieldReader) {
        containingType = reader.text(at: 1)
        extensionNumber = reader.number(at: 2)
    }

    func write(to writer: inout FieldWriter) {
        writer.text(containingType, at: 1)
        writer.number(extensionNumber, at: 2)
    }
}

extension Proto {
    struct ServerReflectionResponse: Equatable, Sendable {
        indirect enum MessageResponse: Equatable, Sendable {
            case fileDescriptorResponse(Proto.FileDescriptorResponse)
            case allExtensionNumbersResponse(Proto.ExtensionNumberResponse)
            case listServicesResponse(Proto.ListServiceResponse)
            case errorResponse(Proto.ErrorResponse)
        }

        var validHost: String = ""
        var originalRequest: Proto.ServerReflectionRequest?
        var messageResponse: MessageResponse?
    }
}

extension Proto.ServerReflectionResponse: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.serverReflectionResponse) }

    init(reading reader: borrowing FieldReader) {
        validHost = reader.text(at: 1)
        originalRequest = reader.message(at: 2)
        if reader.isSet(at: 4) {
            messageResponse = reader.message(at: 4).map(MessageResponse.fileDescriptorResponse)
        } else if reader.isSet(at: 5) {
            messageResponse = reader.message(at: 5).map(MessageResponse.allExtensionNumbersResponse)
        } else if reader.isSet(at: 6) {
            messageResponse = reader.message(at: 6).map(MessageResponse.listServicesResponse)
        } else if reader.isSet(at: 7) {
            messageResponse = reader.message(at: 7).map(MessageResponse.errorResponse)
        }
    }

    func write(to writer: inout FieldWriter) {
        writer.text(validHost, at: 1)
        writer.message(originalRequest, at: 2)
        switch messageResponse {
        case .fileDescriptorResponse(let value): writer.message(value, at: 4)
        case .allExtensionNumbersResponse(let value): writer.message(value, at: 5)
        case .listServicesResponse(let value): writer.message(value, at: 6)
        case .errorResponse(let value): writer.message(value, at: 7)
        case nil: break
        }
    }
}

extension Proto {
    struct FileDescriptorResponse: Equatable, Sendable {
        var fileDescriptorProto: [[UInt8]] = []
    }
}

extension Proto.FileDescriptorResponse: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.fileDescriptorResponse) }

    init(reading reader: borrowing FieldReader) {
        fileDescriptorProto = reader.datas(at: 1)
    }

    func write(to writer: inout FieldWriter) {
        writer.datas(fileDescriptorProto, at: 1)
    }
}

extension Proto {
    struct ExtensionNumberResponse: Equatable, Sendable {
        var baseTypeName: String = ""
        var extensionNumber: [Int32] = []
    }
}

extension Proto.ExtensionNumberResponse: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.extensionNumberResponse) }

    init(reading reader: borrowing FieldReader) {
        baseTypeName = reader.text(at: 1)
        extensionNumber = reader.numbers(at: 2)
    }

    func write(to writer: inout FieldWriter) {
        writer.text(baseTypeName, at: 1)
        writer.numbers(extensionNumber, at: 2)
    }
}

extension Proto {
    struct ListServiceResponse: Equatable, Sendable {
        var service: [Proto.ServiceResponse] = []
    }
}

extension Proto.ListServiceResponse: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.listServiceResponse) }

    init(reading reader: borrowing FieldReader) {
        service = reader.messages(at: 1)
    }

    func write(to writer: inout FieldWriter) {
        writer.messages(service, at: 1)
    }
}

extension Proto {
    struct ServiceResponse: Equatable, Sendable {
        var name: String = ""
    }
}

extension Proto.ServiceResponse: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.serviceResponse) }

    init(reading reader: borrowing FieldReader) {
        name = reader.text(at: 1)
    }

    func write(to writer: inout FieldWriter) {
        writer.text(name, at: 1)
    }
}

extension Proto {
    struct ErrorResponse: Equatable, Sendable {
        var errorCode: Int32 = 0
        var errorMessage: String = ""
    }
}

extension Proto.ErrorResponse: ProtobufMessage {
    static var layout: MessageLayout { MessageLayout(.errorResponse) }

    init(reading reader: borrowing FieldReader) {
        errorCode = reader.number(at: 1)
        errorMessage = reader.text(at: 2)
    }

    func write(to writer: inout FieldWriter) {
        writer.number(errorCode, at: 1)
        writer.text(errorMessage, at: 2)
    }
}
