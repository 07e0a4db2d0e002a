// SPDX-License-Identifier: Apache-2.0

internal import CEngineProto
package import EngineModel

/// A reflection client's question. The messages of `grpc.reflection.v1` and `v1alpha` are the same on the wire.
package struct ReflectionRequest {
    package enum Question {
        case fileByName(String)
        case fileContainingSymbol(String)
        case fileContainingExtension(String, Int32)
        case extensionNumbers(String)
        case listServices(String)
        case none
    }

    package var question: Question
    private let host: String

    package init(wire bytes: [UInt8]) throws(EngineError) {
        (host, question) = try unsafe decode(bytes, as: Grpc__Reflection__V1__ServerReflectionRequest.self) {
            wire throws(EngineError) in
            (unsafe text(wire.host), unsafe Question(wire: wire))
        }
    }

    /// The request as the answer repeats it.
    func wire(in arena: MessageArena) -> UnsafeMutablePointer<Grpc__Reflection__V1__ServerReflectionRequest> {
        let wire = unsafe arena.message(Grpc__Reflection__V1__ServerReflectionRequest.self)
        unsafe wire.pointee.host = arena.string(host)
        switch question {
        case .fileByName(let name):
            unsafe wire.pointee.message_request_case =
                GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_FILE_BY_FILENAME
            unsafe wire.pointee.file_by_filename = arena.string(name)
        case .fileContainingSymbol(let symbol):
            unsafe wire.pointee.message_request_case =
                GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_FILE_CONTAINING_SYMBOL
            unsafe wire.pointee.file_containing_symbol = arena.string(symbol)
        case .fileContainingExtension(let type, let number):
            let asked = unsafe arena.message(Grpc__Reflection__V1__ExtensionRequest.self)
            unsafe asked.pointee.containing_type = arena.string(type)
            unsafe asked.pointee.extension_number = number
            unsafe wire.pointee.message_request_case =
                GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_FILE_CONTAINING_EXTENSION
            unsafe wire.pointee.file_containing_extension = asked
        case .extensionNumbers(let type):
            unsafe wire.pointee.message_request_case =
                GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_ALL_EXTENSION_NUMBERS_OF_TYPE
            unsafe wire.pointee.all_extension_numbers_of_type = arena.string(type)
        case .listServices(let value):
            unsafe wire.pointee.message_request_case =
                GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_LIST_SERVICES
            unsafe wire.pointee.list_services = arena.string(value)
        case .none: break
        }
        return unsafe wire
    }
}

extension ReflectionRequest.Question {
    init(wire: Grpc__Reflection__V1__ServerReflectionRequest) {
        self =
            switch unsafe wire.message_request_case {
            case GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_FILE_BY_FILENAME:
                unsafe .fileByName(text(wire.file_by_filename))
            case GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_FILE_CONTAINING_SYMBOL:
                unsafe .fileContainingSymbol(text(wire.file_containing_symbol))
            case GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_FILE_CONTAINING_EXTENSION:
                unsafe wire.file_containing_extension.map {
                    unsafe .fileContainingExtension(text($0.pointee.containing_type), $0.pointee.extension_number)
                } ?? .none
            case GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_ALL_EXTENSION_NUMBERS_OF_TYPE:
                unsafe .extensionNumbers(text(wire.all_extension_numbers_of_type))
            case GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_LIST_SERVICES:
                unsafe .listServices(text(wire.list_services))
            default: .none
            }
    }
}

/// The answer to a reflection question.
package enum ReflectionAnswer {
    /// Serialised `FileDescriptorProto`s.
    case files([[UInt8]])
    case services([String])
    case failure(GRPCStatusCode, String)

    /// The framed answer, with the request that it answers.
    package func framed(for request: ReflectionRequest) -> [UInt8] {
        unsafe encodeFramed { arena in
            let response = unsafe arena.message(Grpc__Reflection__V1__ServerReflectionResponse.self)
            unsafe response.pointee.original_request = request.wire(in: arena)
            switch self {
            case .files(let files):
                let list = unsafe arena.message(Grpc__Reflection__V1__FileDescriptorResponse.self)
                unsafe list.pointee.n_file_descriptor_proto = files.count
                unsafe list.pointee.file_descriptor_proto = arena.array(files) { bytes in
                    unsafe ProtobufCBinaryData(len: bytes.count, data: arena.array(bytes) { $0 })
                }
                unsafe response.pointee.message_response_case =
                    GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE_FILE_DESCRIPTOR_RESPONSE
                unsafe response.pointee.file_descriptor_response = list
            case .services(let names):
                let list = unsafe arena.message(Grpc__Reflection__V1__ListServiceResponse.self)
                unsafe list.pointee.n_service = names.count
                unsafe list.pointee.service = arena.array(names) { name in
                    let service = unsafe arena.message(Grpc__Reflection__V1__ServiceResponse.self)
                    unsafe service.pointee.name = arena.string(name)
                    return unsafe .some(service)
                }
                unsafe response.pointee.message_response_case =
                    GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE_LIST_SERVICES_RESPONSE
                unsafe response.pointee.list_services_response = list
            case .failure(let code, let message):
                let error = unsafe arena.message(Grpc__Reflection__V1__ErrorResponse.self)
                unsafe error.pointee.error_code = Int32(code.rawValue)
                unsafe error.pointee.error_message = arena.string(message)
                unsafe response.pointee.message_response_case =
                    GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE_ERROR_RESPONSE
                unsafe response.pointee.error_response = error
            }
            return unsafe response
        }
    }
}

/// The serialised `FileDescriptorSet` that `scripts/generate-proto` built in.
package func builtInDescriptorSet() -> [UInt8] {
    var count = 0
    let start = unsafe cengineproto_descriptor_set(&count)
    return unsafe Array(UnsafeBufferPointer(start: start, count: count))
}
