// SPDX-License-Identifier: Apache-2.0

internal import NIOHTTP1

/// Responses that pages of other origins may read. Only requests with a valid session token get them, because the token
/// is the authorization. Without it, a page of another origin cannot read anything of a response.
extension Response {
    /// Adds the header fields that let pages of any origin read the response.
    mutating func allowEveryOrigin() {
        headers += [
            ("Access-Control-Allow-Origin", "*"),
            ("Access-Control-Expose-Headers", "Content-Length, Content-Range, Accept-Ranges, ETag, Retry-After"),
            ("Cross-Origin-Resource-Policy", "cross-origin"),
            ("X-Content-Type-Options", "nosniff"),
        ]
    }

    /// The response to OPTIONS (Fetch standard, CORS-preflight; Private Network Access §3.1).
    static func preflight(_ request: HTTPHeaders) -> Response {
        var response = Response(status: .noContent)
        response.headers = [
            ("Allow", RequestRouter.allowedMethods),
            ("Access-Control-Allow-Methods", RequestRouter.allowedMethods),
            ("Access-Control-Allow-Headers", "*"),
            ("Access-Control-Max-Age", "600"),
        ]
        if request.first(name: "Access-Control-Request-Private-Network") == "true" {
            response.headers.append(("Access-Control-Allow-Private-Network", "true"))
        }
        return response
    }
}
