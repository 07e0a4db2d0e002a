// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// The status that the trailers of a call carry.
package struct GRPCStatus: Hashable, Sendable {
    package var code: GRPCStatusCode
    package var message = ""
    /// The engine's error code; `nil` if the call succeeded, or if the transport or the server ended it, not the
    /// engine.
    package var engineCode: EngineError.Code?
    package var cause = ""
    /// The invalid field of the request.
    package var field = ""

    package init(_ code: GRPCStatusCode, _ message: String = "") {
        self.code = code
        self.message = message
    }

    package static let ok = GRPCStatus(.ok)

    /// The fields of the trailers.
    var fields: [(String, String)] {
        var fields = [("grpc-status", String(code.rawValue))]
        if !message.isEmpty { fields.append(("grpc-message", PercentEncoding.encode(message))) }
        if let engineCode { fields.append(("engine-error-code", engineCode.rawValue)) }
        if !cause.isEmpty { fields.append(("engine-error-cause", PercentEncoding.encode(cause))) }
        if !field.isEmpty { fields.append(("engine-error-field", PercentEncoding.encode(field))) }
        return fields
    }

    package static let okTrailers = HeaderBlock(GRPCStatus.ok.fields)

    package var trailers: HeaderBlock { self == .ok ? Self.okTrailers : HeaderBlock(fields) }

    /// A response that consists only of its status ("Trailers-Only").
    package var trailersOnly: HeaderBlock { HeaderBlock(Self.responseFields + fields) }

    static let responseFields = [(":status", "200"), ("content-type", "application/grpc")]
    package static let responseHeaders = HeaderBlock(responseFields)
}

/// The outcome of a call, with gRPC's names and numbers (grpc/grpc: doc/statuscodes.md).
package enum GRPCStatusCode: Int, Hashable, Sendable, CaseIterable {
    case ok = 0
    case cancelled, unknown, invalidArgument, deadlineExceeded, notFound, alreadyExists, permissionDenied
    case resourceExhausted, failedPrecondition, aborted, outOfRange, unimplemented, `internal`, unavailable, dataLoss
    case unauthenticated
}
