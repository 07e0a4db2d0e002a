// SPDX-License-Identifier: Apache-2.0

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
        let wire = try Proto.ServerReflectionRequest(bytes)
        (host, question) = (wire.host, Question(wire: wire.messageRequest))
    }

    /// The request, which the answer repeats.
    var wire: Proto.ServerReflectionRequest {
        var wire = Proto.ServerReflectionRequest()
        wire.host = host
        wire.messageRequest =
            switch question {
            case .fileByName(let name): .fileByFilename(name)
            case .fileContainingSymbol(let symbol): .fileContainingSymbol(symbol)
            case .fileContainingExtension(let type, let number):
                .fileContainingExtension(Proto.ExtensionRequest(containingType: type, extensionNumber: number))
            case .extensionNumbers(let type): .allExtensionNumbersOfType(type)
            case .listServices(let value): .listServices(value)
            case .none: nil
            }
        return wire
    }
}

extension ReflectionRequest.Question {
    init(wire: Proto.ServerReflectionRequest.MessageRequest?) {
        self =
            switch wire {
            case .fileByFilename(let name): .fileByName(name)
            case .fileContainingSymbol(let symbol): .fileContainingSymbol(symbol)
            case .fileContainingExtension(let wanted):
                .fileContainingExtension(wanted.containingType, wanted.extensionNumber)
            case .allExtensionNumbersOfType(let type): .extensionNumbers(type)
            case .listServices(let value): .listServices(value)
            case nil: .none
            }
    }
}

/// The answer to a reflection question.
package enum ReflectionAnswer {
    /// Serialised `FileDescriptorProto`s.
    case files([[UInt8]])
    case services([String])
    case failure(GRPCStatusCode, String)

    /// The framed answer, which repeats the request.
    package func framed(for request: ReflectionRequest) -> [UInt8] {
        var response = Proto.ServerReflectionResponse()
        response.originalRequest = request.wire
        response.messageResponse =
            switch self {
            case .files(let files):
                .fileDescriptorResponse(Proto.FileDescriptorResponse(fileDescriptorProto: files))
            case .services(let names):
                .listServicesResponse(
                    Proto.ListServiceResponse(service: names.map(Proto.ServiceResponse.init(name:)))
                )
            case .failure(let code, let message):
                .errorResponse(Proto.ErrorResponse(errorCode: Int32(code.rawValue), errorMessage: message))
            }
        return response.framed()
    }
}
