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
    static var size: Int { unsafe MemoryLayout<Grpc__Reflection__V1__ServerReflectionRequest>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe grpc__reflection__v1__server_reflection_request__init(pointer.assumingMemoryBound(to: Grpc__Reflection__V1__ServerReflectionRequest.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Grpc__Reflection__V1__ServerReflectionRequest.self)
        host = unsafe readText(c.pointee.host)
        switch unsafe c.pointee.message_request_case {
        case GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_FILE_BY_FILENAME:
            messageRequest = .fileByFilename(unsafe readText(c.pointee.file_by_filename))
        case GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_FILE_CONTAINING_SYMBOL:
            messageRequest = .fileContainingSymbol(unsafe readText(c.pointee.file_containing_symbol))
        case GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_FILE_CONTAINING_EXTENSION:
            messageRequest = unsafe readMessage(c.pointee.file_containing_extension).map(MessageRequest.fileContainingExtension)
        case GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_ALL_EXTENSION_NUMBERS_OF_TYPE:
            messageRequest = .allExtensionNumbersOfType(unsafe readText(c.pointee.all_extension_numbers_of_type))
        case GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_LIST_SERVICES:
            messageRequest = .listServices(unsafe readText(c.pointee.list_services))
        default: break
        }
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Grpc__Reflection__V1__ServerReflectionRequest.self)
        unsafe c.pointee.host = arena.text(host)
        switch messageRequest {
        case .fileByFilename(let value):
            unsafe c.pointee.message_request_case = GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_FILE_BY_FILENAME
            unsafe c.pointee.file_by_filename = arena.text(value)
        case .fileContainingSymbol(let value):
            unsafe c.pointee.message_request_case = GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_FILE_CONTAINING_SYMBOL
            unsafe c.pointee.file_containing_symbol = arena.text(value)
        case .fileContainingExtension(let value):
            unsafe c.pointee.message_request_case = GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_FILE_CONTAINING_EXTENSION
            unsafe c.pointee.file_containing_extension = arena.message(value)
        case .allExtensionNumbersOfType(let value):
            unsafe c.pointee.message_request_case = GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_ALL_EXTENSION_NUMBERS_OF_TYPE
            unsafe c.pointee.all_extension_numbers_of_type = arena.text(value)
        case .listServices(let value):
            unsafe c.pointee.message_request_case = GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_LIST_SERVICES
            unsafe c.pointee.list_services = arena.text(value)
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
    static var size: Int { unsafe MemoryLayout<Grpc__Reflection__V1__ExtensionRequest>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe grpc__reflection__v1__extension_request__init(pointer.assumingMemoryBound(to: Grpc__Reflection__V1__ExtensionRequest.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Grpc__Reflection__V1__ExtensionRequest.self)
        containingType = unsafe readText(c.pointee.containing_type)
        extensionNumber = unsafe c.pointee.extension_number
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Grpc__Reflection__V1__ExtensionRequest.self)
        unsafe c.pointee.containing_type = arena.text(containingType)
        unsafe c.pointee.extension_number = extensionNumber
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
    static var size: Int { unsafe MemoryLayout<Grpc__Reflection__V1__ServerReflectionResponse>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe grpc__reflection__v1__server_reflection_response__init(pointer.assumingMemoryBound(to: Grpc__Reflection__V1__ServerReflectionResponse.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Grpc__Reflection__V1__ServerReflectionResponse.self)
        validHost = unsafe readText(c.pointee.valid_host)
        originalRequest = unsafe readMessage(c.pointee.original_request)
        switch unsafe c.pointee.message_response_case {
        case GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE_FILE_DESCRIPTOR_RESPONSE:
            messageResponse = unsafe readMessage(c.pointee.file_descriptor_response).map(MessageResponse.fileDescriptorResponse)
        case GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE_ALL_EXTENSION_NUMBERS_RESPONSE:
            messageResponse = unsafe readMessage(c.pointee.all_extension_numbers_response).map(MessageResponse.allExtensionNumbersResponse)
        case GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE_LIST_SERVICES_RESPONSE:
            messageResponse = unsafe readMessage(c.pointee.list_services_response).map(MessageResponse.listServicesResponse)
        case GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE_ERROR_RESPONSE:
            messageResponse = unsafe readMessage(c.pointee.error_response).map(MessageResponse.errorResponse)
        default: break
        }
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Grpc__Reflection__V1__ServerReflectionResponse.self)
        unsafe c.pointee.valid_host = arena.text(validHost)
        unsafe c.pointee.original_request = arena.message(originalRequest)
        switch messageResponse {
        case .fileDescriptorResponse(let value):
            unsafe c.pointee.message_response_case = GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE_FILE_DESCRIPTOR_RESPONSE
            unsafe c.pointee.file_descriptor_response = arena.message(value)
        case .allExtensionNumbersResponse(let value):
            unsafe c.pointee.message_response_case = GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE_ALL_EXTENSION_NUMBERS_RESPONSE
            unsafe c.pointee.all_extension_numbers_response = arena.message(value)
        case .listServicesResponse(let value):
            unsafe c.pointee.message_response_case = GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE_LIST_SERVICES_RESPONSE
            unsafe c.pointee.list_services_response = arena.message(value)
        case .errorResponse(let value):
            unsafe c.pointee.message_response_case = GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE_ERROR_RESPONSE
            unsafe c.pointee.error_response = arena.message(value)
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
    static var size: Int { unsafe MemoryLayout<Grpc__Reflection__V1__FileDescriptorResponse>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe grpc__reflection__v1__file_descriptor_response__init(pointer.assumingMemoryBound(to: Grpc__Reflection__V1__FileDescriptorResponse.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Grpc__Reflection__V1__FileDescriptorResponse.self)
        fileDescriptorProto = unsafe readDatas(c.pointee.file_descriptor_proto, c.pointee.n_file_descriptor_proto)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Grpc__Reflection__V1__FileDescriptorResponse.self)
        unsafe c.pointee.n_file_descriptor_proto = fileDescriptorProto.count
        unsafe c.pointee.file_descriptor_proto = arena.datas(fileDescriptorProto)
    }
}

extension Proto {
    struct ExtensionNumberResponse: Equatable, Sendable {
        var baseTypeName: String = ""
        var extensionNumber: [Int32] = []
    }
}

extension Proto.ExtensionNumberResponse: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Grpc__Reflection__V1__ExtensionNumberResponse>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe grpc__reflection__v1__extension_number_response__init(pointer.assumingMemoryBound(to: Grpc__Reflection__V1__ExtensionNumberResponse.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Grpc__Reflection__V1__ExtensionNumberResponse.self)
        baseTypeName = unsafe readText(c.pointee.base_type_name)
        extensionNumber = unsafe readNumbers(c.pointee.extension_number, c.pointee.n_extension_number)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Grpc__Reflection__V1__ExtensionNumberResponse.self)
        unsafe c.pointee.base_type_name = arena.text(baseTypeName)
        unsafe c.pointee.n_extension_number = extensionNumber.count
        unsafe c.pointee.extension_number = arena.numbers(extensionNumber)
    }
}

extension Proto {
    struct ListServiceResponse: Equatable, Sendable {
        var service: [Proto.ServiceResponse] = []
    }
}

extension Proto.ListServiceResponse: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Grpc__Reflection__V1__ListServiceResponse>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe grpc__reflection__v1__list_service_response__init(pointer.assumingMemoryBound(to: Grpc__Reflection__V1__ListServiceResponse.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Grpc__Reflection__V1__ListServiceResponse.self)
        service = unsafe readMessages(c.pointee.service, c.pointee.n_service)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Grpc__Reflection__V1__ListServiceResponse.self)
        unsafe c.pointee.n_service = service.count
        unsafe c.pointee.service = arena.messages(service)
    }
}

extension Proto {
    struct ServiceResponse: Equatable, Sendable {
        var name: String = ""
    }
}

extension Proto.ServiceResponse: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Grpc__Reflection__V1__ServiceResponse>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe grpc__reflection__v1__service_response__init(pointer.assumingMemoryBound(to: Grpc__Reflection__V1__ServiceResponse.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Grpc__Reflection__V1__ServiceResponse.self)
        name = unsafe readText(c.pointee.name)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Grpc__Reflection__V1__ServiceResponse.self)
        unsafe c.pointee.name = arena.text(name)
    }
}

extension Proto {
    struct ErrorResponse: Equatable, Sendable {
        var errorCode: Int32 = 0
        var errorMessage: String = ""
    }
}

extension Proto.ErrorResponse: ProtobufMessage {
    static var size: Int { unsafe MemoryLayout<Grpc__Reflection__V1__ErrorResponse>.size }

    static func initialize(_ pointer: UnsafeMutableRawPointer) {
        unsafe grpc__reflection__v1__error_response__init(pointer.assumingMemoryBound(to: Grpc__Reflection__V1__ErrorResponse.self))
    }

    init(reading pointer: UnsafeRawPointer) {
        let c = unsafe pointer.assumingMemoryBound(to: Grpc__Reflection__V1__ErrorResponse.self)
        errorCode = unsafe c.pointee.error_code
        errorMessage = unsafe readText(c.pointee.error_message)
    }

    func write(to pointer: UnsafeMutableRawPointer, in arena: MessageArena) {
        let c = unsafe pointer.assumingMemoryBound(to: Grpc__Reflection__V1__ErrorResponse.self)
        unsafe c.pointee.error_code = errorCode
        unsafe c.pointee.error_message = arena.text(errorMessage)
    }
}
