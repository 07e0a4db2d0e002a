// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Loopback

/// The target of a request.
enum WebTarget: Hashable, Sendable {
    /// The name of a file of the page; empty for the page itself.
    case file(String)
    /// The path without its slash, which is redirected to the page.
    case root
    case document
    /// Exchanges a ticket for its token.
    case ticket
    /// Calls an RPC.
    case call(String)
}

/// Decides from the head of a request whether the request is allowed. Pure.
///
/// Browsers send `Origin` and `Sec-Fetch-Site`, which no script can forge; programs send neither. These fields
/// therefore always reveal a page of another origin, and `Host` reveals a page whose DNS name was rebound to this
/// machine.
struct RequestGuard: Sendable {
    static let bodyLimit = 64 << 10

    /// The values of `Host` that browsers on this machine send.
    let hosts: Set<String>

    init(port: Int) { hosts = ["127.0.0.1:\(port)", "localhost:\(port)"] }

    /// - Returns: the target of the request, or the reason why it is refused.
    func target(of request: ControlRequest) -> Result<WebTarget, Refusal> {
        let host = request.values("Host")
        guard host.count == 1, hosts.contains(host[0]) else { return .failure(.forbidden("this Host is not allowed")) }
        let origins = request.values("Origin")
        guard origins.isEmpty || origins == ["http://\(host[0])"] else {
            return .failure(.forbidden("this Origin is not allowed"))
        }
        let path = request.path ?? ""
        let isAPI = path.hasPrefix("api/") || path == "ticket"
        if let refusal = site(of: request, isDocument: path.isEmpty && request.method == "GET") {
            return .failure(refusal)
        }
        guard isAPI else {
            guard request.method == "GET" else { return .failure(.method("GET")) }
            if request.path == nil { return .success(.root) }
            return .success(path == "openapi.json" ? .document : .file(path))
        }
        guard request.method == "POST" else { return .failure(.method("POST")) }
        guard request.values("Content-Type") == ["application/json"] else { return .failure(.contentType) }
        return .success(path == "ticket" ? .ticket : .call(String(path.dropFirst(4))))
    }

    /// Refuses requests from other sites, except links to the page, which is the same for everyone and cannot be
    /// framed.
    private func site(of request: ControlRequest, isDocument: Bool) -> Refusal? {
        let sites = request.values("Sec-Fetch-Site")
        if sites.isEmpty || sites == ["same-origin"] || sites == ["none"] { return nil }
        let isNavigation =
            request.values("Sec-Fetch-Mode") == ["navigate"] && request.values("Sec-Fetch-Dest") == ["document"]
        return isDocument && isNavigation ? nil : .forbidden("requests of other sites are not allowed")
    }

    /// The bearer token of a request (RFC 6750 §2.1). The scheme is case-insensitive (RFC 9110 §11.1).
    static func token(of request: ControlRequest) -> String? {
        let values = request.values("Authorization")
        guard values.count == 1, values[0].prefix("Bearer ".count).lowercased() == "bearer " else { return nil }
        return String(values[0].dropFirst("Bearer ".count))
    }
}

/// The reason why a request is refused.
struct Refusal: Error, Hashable, Sendable {
    let status: Int
    let error: EngineError
    var headers: [ControlRequest.Header] = []

    static let notFound = Refusal(status: 404, error: EngineError(.invalidArgument, "no such resource"))
    static let token = Refusal(
        status: 401,
        error: EngineError(.unavailable, "the token is missing, expired or revoked; `enginectl web` makes a new one"),
        headers: [ControlRequest.Header("WWW-Authenticate", "Bearer")]
    )
    static let ticket = Refusal(
        status: 401,
        error: EngineError(.unavailable, "the link was used or has expired; `enginectl web` makes a new one")
    )
    static let contentType = Refusal(
        status: 415,
        error: EngineError(.invalidArgument, "the Content-Type must be application/json")
    )

    static func forbidden(_ reason: String) -> Refusal {
        Refusal(status: 403, error: EngineError(.invalidArgument, reason))
    }

    static func method(_ allowed: String) -> Refusal {
        Refusal(
            status: 405,
            error: EngineError(.invalidArgument, "the allowed method is \(allowed)"),
            headers: [ControlRequest.Header("Allow", allowed)]
        )
    }
}
