// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Wire

/// The outcome of a call, read from the header fields of its response.
struct ResponseStatus {
    private var status = GRPCStatus(.unknown)
    private var httpStatus = ""

    mutating func receive(_ name: HeaderName, _ value: String) {
        switch name {
        case .status: httpStatus = value
        case .grpcStatus: status.code = Int(value).flatMap(GRPCStatusCode.init) ?? .unknown
        case .grpcMessage: status.message = PercentEncoding.decode(value)
        case .engineCode: status.engineCode = EngineError.Code(rawValue: value)
        case .engineCause: status.cause = PercentEncoding.decode(value)
        case .engineField: status.field = PercentEncoding.decode(value)
        default: break
        }
    }

    /// The failure, once the response has ended; `nil` if the call succeeded.
    var failure: EngineClientError? {
        guard httpStatus == "200" else {
            return EngineClientError(.unavailable, "the server returned HTTP status \(httpStatus)")
        }
        return status.code == .ok ? nil : EngineClientError(status)
    }
}
