// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// How a call ended, in gRPC's words and numbers (grpc/grpc: doc/statuscodes.md).
package enum GRPCStatusCode: Int, Hashable, Sendable, CaseIterable {
    case ok = 0
    case cancelled, unknown, invalidArgument, deadlineExceeded, notFound, alreadyExists, permissionDenied
    case resourceExhausted, failedPrecondition, aborted, outOfRange, unimplemented, `internal`, unavailable, dataLoss
    case unauthenticated
}

/// What the trailers of a call say.
struct GRPCStatus: Hashable, Sendable {
    var code: GRPCStatusCode
    var message = ""
    /// The engine's own word for the failure, where the engine failed and not the transport.
    var engineCode: EngineError.Code?
    var cause = ""
    /// The field of the request that is to blame.
    var field = ""

    init(_ code: GRPCStatusCode, _ message: String = "") {
        self.code = code
        self.message = message
    }

    static let ok = GRPCStatus(.ok)

    /// The fields of the trailers.
    var fields: [(String, String)] {
        var fields = [("grpc-status", String(code.rawValue))]
        if !message.isEmpty { fields.append(("grpc-message", PercentEncoding.encode(message))) }
        if let engineCode { fields.append(("engine-error-code", engineCode.rawValue)) }
        if !cause.isEmpty { fields.append(("engine-error-cause", PercentEncoding.encode(cause))) }
        if !field.isEmpty { fields.append(("engine-error-field", PercentEncoding.encode(field))) }
        return fields
    }

    static let okTrailers = HeaderBlock(GRPCStatus.ok.fields)

    var trailers: HeaderBlock { self == .ok ? Self.okTrailers : HeaderBlock(fields) }

    /// A response that is nothing but its status ("Trailers-Only").
    var trailersOnly: HeaderBlock { HeaderBlock(Self.responseFields + fields) }

    static let responseFields = [(":status", "200"), ("content-type", "application/grpc")]
    static let responseHeaders = HeaderBlock(responseFields)
}
