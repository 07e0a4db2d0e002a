// SPDX-License-Identifier: Apache-2.0

package import EngineModel

extension EngineError.Code {
    /// The gRPC status of each failure. These pairs never change.
    var grpcStatus: GRPCStatusCode {
        switch self {
        case .invalidArgument: .invalidArgument
        case .sourceNotFound: .notFound
        case .sourceAccessDenied: .permissionDenied
        case .sourceNotReadable: .failedPrecondition
        case .sourceReadFailed: .unavailable
        case .sourceEmpty: .failedPrecondition
        case .sourceNotMedia: .failedPrecondition
        case .noPlayableStream: .failedPrecondition
        case .sourceEncrypted: .failedPrecondition
        case .sourceChanged: .failedPrecondition
        case .sourceRefused: .permissionDenied
        case .sourceUnreachable: .unavailable
        case .sourceCrashed: .failedPrecondition
        case .segmentFailed: .internal
        case .recordingFailed: .failedPrecondition
        case .sessionNotFound: .notFound
        case .trackNotFound: .notFound
        case .programNotFound: .notFound
        case .revisionConflict: .aborted
        case .rendererConflict: .failedPrecondition
        case .pathConflict: .failedPrecondition
        case .resourceExhausted: .resourceExhausted
        case .cancelled: .cancelled
        case .unavailable: .unavailable
        case .internal: .internal
        }
    }
}

extension GRPCStatus {
    /// The message contains the error's code and cause too, for clients that read only the message.
    package init(_ error: EngineError) {
        self.init(error.code.grpcStatus, error.description)
        engineCode = error.code
        cause = error.cause
        field = error.field
    }

    /// The message without the code and the cause, which have their own trailers.
    package var bareMessage: String {
        guard let engineCode else { return message }
        var bare = message[...]
        let prefix = "\(engineCode.rawValue): "
        let suffix = " (\(cause))"
        if bare.hasPrefix(prefix) { bare = bare.dropFirst(prefix.count) }
        if !cause.isEmpty && bare.hasSuffix(suffix) { bare = bare.dropLast(suffix.count) }
        return String(bare)
    }
}

extension EngineError {
    var wire: Proto.ErrorInfo {
        var info = Proto.ErrorInfo()
        info.code = code.rawValue
        info.message = message
        info.cause = cause
        info.field = field
        return info
    }

    /// A code that this build does not know becomes `internal`, with the code in the cause.
    init(wire info: Proto.ErrorInfo) {
        let word = info.code
        let cause = info.cause
        if let code = Code(rawValue: word) {
            self.init(code, info.message, cause: cause, field: info.field)
        } else {
            self.init(.internal, info.message, cause: "\(word): \(cause)")
        }
    }
}
