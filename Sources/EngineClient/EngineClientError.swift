// SPDX-License-Identifier: Apache-2.0

public import EngineModel
internal import IPC

/// Why a call to the engine failed.
public struct EngineClientError: Error, Hashable, Sendable {
    public var status: GRPCStatusCode
    /// The engine's error code. `nil` when the transport failed or the deadline passed.
    public var code: EngineError.Code?
    public var message: String
    public var cause: String
    /// The field of the request that caused the error. Empty where no field did.
    public var field: String

    public init(
        _ status: GRPCStatusCode,
        _ message: String,
        code: EngineError.Code? = nil,
        cause: String = "",
        field: String = ""
    ) {
        self.status = status
        self.message = message
        self.code = code
        self.cause = cause
        self.field = field
    }

    /// Whether nothing listens or the connection was lost. Another `connect` may succeed.
    public var isConnectionLoss: Bool { status == .unavailable && code == nil }

    init(_ status: GRPCStatus) {
        self.init(status.code, status.bareMessage, code: status.engineCode, cause: status.cause, field: status.field)
    }

    /// A response that does not decode.
    init(malformed error: EngineError) {
        self.init(.internal, "the engine's response cannot be parsed: \(error.message)")
    }
}

extension EngineClientError: CustomStringConvertible {
    public var description: String {
        let word = code?.rawValue ?? "\(status)"
        return cause.isEmpty ? "\(word): \(message)" : "\(word): \(message) (\(cause))"
    }
}
