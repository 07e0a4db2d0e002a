// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// How a call to the engine failed.
package struct EngineClientError: Error, Hashable, Sendable {
    package var status: GRPCStatusCode
    /// The engine's own word, `nil` when the transport failed or the deadline passed.
    package var code: EngineError.Code?
    package var message: String
    package var cause: String
    /// The field of the request that is to blame. Empty where none is.
    package var field: String

    package init(
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

    /// Nothing listens, or the connection ended. Another `connect` may succeed.
    package var isConnectionLoss: Bool { status == .unavailable && code == nil }

    init(_ status: GRPCStatus) {
        self.init(status.code, status.bareMessage, code: status.engineCode, cause: status.cause, field: status.field)
    }

    /// A response that does not decode.
    init(malformed error: EngineError) {
        self.init(.internal, "the engine's answer cannot be read: \(error.message)")
    }
}

extension EngineClientError: CustomStringConvertible {
    package var description: String {
        let word = code?.rawValue ?? "\(status)"
        return cause.isEmpty ? "\(word): \(message)" : "\(word): \(message) (\(cause))"
    }
}
