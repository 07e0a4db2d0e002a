// SPDX-License-Identifier: Apache-2.0

public import EngineModel
internal import Wire

/// The reason why a call to the engine failed.
public struct EngineClientError: Error, Hashable, Sendable {
    /// The outcome of the call, with gRPC's names and numbers.
    public enum Status: Int, Hashable, Sendable, CaseIterable {
        case ok = 0
        case cancelled, unknown, invalidArgument, deadlineExceeded, notFound, alreadyExists, permissionDenied
        case resourceExhausted, failedPrecondition, aborted, outOfRange, unimplemented, `internal`, unavailable
        case dataLoss, unauthenticated
    }

    public var status: Status
    /// The engine's error code. `nil` when the engine gave none, e.g. because the transport failed or the deadline
    /// passed.
    public var code: EngineError.Code?
    public var message: String
    /// The message of the underlying error. Empty if there is none.
    public var cause: String
    /// The field of the request that caused the error. Empty if no field did.
    public var field: String

    public init(
        _ status: Status,
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

    /// Whether there is no usable connection: nothing listens, the connection was lost, or the server does not answer
    /// as an engine does. Connecting again may succeed.
    public var isConnectionLoss: Bool { status == .unavailable && code == nil }

    init(_ status: GRPCStatus) {
        self.init(
            Status(rawValue: status.code.rawValue) ?? .unknown,
            status.bareMessage,
            code: status.engineCode,
            cause: status.cause,
            field: status.field
        )
    }

    /// For a response that cannot be parsed.
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
