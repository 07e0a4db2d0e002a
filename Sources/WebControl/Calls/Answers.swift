// SPDX-License-Identifier: Apache-2.0

internal import EngineClient
internal import EngineJSON
internal import EngineModel
internal import Loopback
internal import WebPage

/// The responses of control over HTTP, all with the same basic headers.
extension ControlResponse {
    /// Allows scripts, styles and requests only from the page's own origin, images also from `data:` URLs, and media also
    /// from buffers that the page fills (`blob:`). The page can neither be framed nor contain frames.
    private static let policy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:", "media-src 'self' blob:",
        "connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
    ].joined(separator: "; ")

    private init(status: Int, type: String, body: Body, headers: [ControlRequest.Header] = []) {
        let usual = [
            ("Content-Type", type), ("Content-Security-Policy", Self.policy), ("X-Content-Type-Options", "nosniff"),
            ("X-Frame-Options", "DENY"), ("Referrer-Policy", "no-referrer"), ("Cache-Control", "no-store"),
            ("Cross-Origin-Opener-Policy", "same-origin"), ("Cross-Origin-Resource-Policy", "same-origin"),
        ]
        let all = usual.map { ControlRequest.Header($0.0, $0.1) } + headers
        self.init(status: status, headers: all, body: body)
    }

    static func file(_ file: PageFile) -> ControlResponse {
        ControlResponse(status: 200, type: file.contentType, body: .bytes(file.bytes))
    }

    /// A permanent redirect (308). Browsers keep the fragment of a redirected URL, so `/web#…` works as `/web/#…`
    /// does.
    static func redirect(to path: String) -> ControlResponse {
        ControlResponse(
            status: 308,
            type: "text/plain; charset=utf-8",
            body: .bytes([]),
            headers: [ControlRequest.Header("Location", path)]
        )
    }

    static func json(_ value: JSON, status: Int = 200, headers: [ControlRequest.Header] = []) -> ControlResponse {
        ControlResponse(
            status: status,
            type: "application/json",
            body: .bytes(Array(value.text.utf8)),
            headers: headers
        )
    }

    static func refusal(_ refusal: Refusal) -> ControlResponse {
        json(.object(("error", refusal.error.json)), status: refusal.status, headers: refusal.headers)
    }

    static func failure(_ error: EngineClientError) -> ControlResponse {
        json(.object(("error", error.json)), status: error.httpStatus)
    }

    static func events(_ stream: any ControlStream) -> ControlResponse {
        ControlResponse(status: 200, type: "text/event-stream", body: .stream(stream))
    }
}

extension EngineClientError {
    /// The same form as an `EngineError`. A failure without an engine code gets one from its status: the code of the same
    /// name, `deadline_exceeded` (which only this interface has), or `internal`.
    var json: JSON {
        .object(
            ("code", .string(code?.rawValue ?? word)),
            ("message", .string(message)),
            ("cause", .string(cause)),
            ("field", field.isEmpty ? nil : .string(field))
        )
    }

    private var word: String {
        switch status {
        case .deadlineExceeded: "deadline_exceeded"
        case .invalidArgument: EngineError.Code.invalidArgument.rawValue
        case .cancelled: EngineError.Code.cancelled.rawValue
        case .unavailable: EngineError.Code.unavailable.rawValue
        case .resourceExhausted: EngineError.Code.resourceExhausted.rawValue
        default: EngineError.Code.internal.rawValue
        }
    }

    /// The HTTP mapping of google.rpc.Code (google/rpc/code.proto).
    var httpStatus: Int {
        switch status {
        case .ok: 200
        case .invalidArgument, .failedPrecondition, .outOfRange: 400
        case .unauthenticated: 401
        case .permissionDenied: 403
        case .notFound: 404
        case .alreadyExists, .aborted: 409
        case .resourceExhausted: 429
        case .cancelled: 499
        case .unknown, .internal, .dataLoss: 500
        case .unimplemented: 501
        case .unavailable: 503
        case .deadlineExceeded: 504
        }
    }
}
