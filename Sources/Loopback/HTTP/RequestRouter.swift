// SPDX-License-Identifier: Apache-2.0

internal import NIOHTTP1

/// Decides how to handle a request before any resource is looked up.
///
/// The order matters: a client with an invalid `Host` or token gets no other information, not even which methods exist.
struct RequestRouter {
    static let allowedMethods = "GET, HEAD, OPTIONS"

    enum Decision {
        case answer(Response)
        case fetch(token: String, path: String, query: String)
        /// The engine's metrics. No token is required, because they do not identify any media.
        case metrics
        /// A request for control over HTTP, which the `ControlProvider` admits or refuses. `bodyByteCount` bytes follow
        /// the head.
        case control(ControlRequest, bodyByteCount: Int)
    }

    let hosts: HostCheck
    let isValidToken: @Sendable (String) -> Bool
    /// Whether the server has a `ControlProvider`.
    var hasControl = false

    func decide(_ request: HTTPRequestHead) -> Decision {
        let target = RequestTarget(request.uri)
        let hostHeaders = request.headers["Host"]
        guard hostHeaders.count <= 1, !hostHeaders.isEmpty || request.version != .http1_1 else {
            return .answer(.message(.badRequest, "exactly one Host header is required", closes: true))
        }
        guard let host = target?.authority ?? hostHeaders.first, hosts.allows(host) else {
            return .answer(.message(.forbidden, "this Host is not allowed", closes: true))
        }
        if let target, target.token == "metrics", target.path.isEmpty { return metrics(request) }
        if let target, target.token == "web", hasControl { return control(request, target) }
        guard let target, isValidToken(target.token) else {
            return .answer(.message(.notFound, "no such resource", closes: hasBody(request)))
        }
        if hasBody(request) {
            var response = Response.message(.payloadTooLarge, "a request body is not allowed", closes: true)
            response.allowEveryOrigin()
            return .answer(response)
        }
        switch request.method {
        case .GET, .HEAD: return .fetch(token: target.token, path: target.path, query: target.query)
        case .OPTIONS:
            var response = Response.preflight(request.headers)
            response.allowEveryOrigin()
            return .answer(response)
        default:
            var response = Response.message(.methodNotAllowed, "allowed methods: \(Self.allowedMethods)")
            response.headers.append(("Allow", Self.allowedMethods))
            response.allowEveryOrigin()
            return .answer(response)
        }
    }

    private func metrics(_ request: HTTPRequestHead) -> Decision {
        guard request.method == .GET || request.method == .HEAD else {
            let allowed = "GET, HEAD"
            var response = Response.message(.methodNotAllowed, "allowed methods: \(allowed)", closes: hasBody(request))
            response.headers.append(("Allow", allowed))
            return .answer(response)
        }
        guard !hasBody(request) else {
            return .answer(.message(.payloadTooLarge, "a request body is not allowed", closes: true))
        }
        return .metrics
    }

    /// Only bodies of a stated length are read.
    private func control(_ request: HTTPRequestHead, _ target: RequestTarget) -> Decision {
        let lengths = request.headers["Content-Length"]
        let byteCount = lengths.isEmpty ? 0 : lengths.count == 1 ? Int(lengths[0]) ?? -1 : -1
        guard !request.headers.contains(name: "Transfer-Encoding"), byteCount >= 0 else {
            return .answer(.message(.lengthRequired, "the length of the body is required", closes: true))
        }
        let control = ControlRequest(
            method: request.method.rawValue,
            path: target.hasSlash ? target.path : nil,
            headers: request.headers.map { ControlRequest.Header($0.name, $0.value) }
        )
        return .control(control, bodyByteCount: byteCount)
    }

    /// Whether a body follows the head. Such bodies are never read, so the connection must close after the response.
    private func hasBody(_ request: HTTPRequestHead) -> Bool {
        request.headers.contains(name: "Transfer-Encoding")
            || request.headers["Content-Length"].contains { $0 != "0" }
    }
}
