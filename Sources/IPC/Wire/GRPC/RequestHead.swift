// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// The request headers of a call, and the checks that they form a valid gRPC request.
package struct RequestHead {
    package var method = ""
    package var path = ""
    package var contentType = ""
    package var timeoutText: String?
    package var encoding: String?
    /// The total size of the fields, as RFC 9113 §6.5.2 counts it.
    package var listSize = 0

    package init() {}

    package mutating func add(_ name: HeaderName, _ value: String) {
        switch name {
        case .method: method = value
        case .path: path = value
        case .contentType: contentType = value
        case .timeout: timeoutText = value
        case .encoding: encoding = value
        default: break
        }
    }

    /// The HTTP status that rejects a request that is not gRPC; `nil` for a gRPC request.
    package var httpRefusal: String? {
        if method != "POST" { return "405" }
        if !contentType.hasPrefix("application/grpc") || contentType.hasPrefix("application/grpc-web") { return "415" }
        return nil
    }

    /// The client's timeout for the call. `nil`: none.
    package func timeout() throws(GRPCFailure) -> Duration? {
        guard let timeoutText else { return nil }
        guard let timeout = GRPCTimeout.parse(timeoutText) else {
            throw GRPCFailure(.invalidArgument, "grpc-timeout must be up to 8 digits and one of H M S m u n")
        }
        return timeout
    }

    package func check(listLimit: Int) throws(GRPCFailure) {
        guard listSize <= listLimit else {
            throw GRPCFailure(.resourceExhausted, "the headers are \(listSize) bytes, the limit is \(listLimit)")
        }
        if let encoding, encoding != "identity" {
            throw GRPCFailure(.unimplemented, "grpc-encoding \(encoding) is not supported; send identity")
        }
    }
}
