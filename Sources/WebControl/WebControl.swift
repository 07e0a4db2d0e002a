// SPDX-License-Identifier: Apache-2.0

package import EngineModel
internal import EngineJSON
internal import EngineRuntime
internal import Foundation
package import Loopback
internal import WebPage

/// Control over HTTP and the page that uses it. Off until a token is made, and off again when all tokens are revoked or
/// expired.
///
/// Decides which requests are allowed, and passes calls to the engine's own socket. Owned by the process; called by the
/// control socket (`WebControlService`) and by the HTTP server (`ControlProvider`).
///
/// Thread-safety: safe.
package final class WebControl: WebControlService, ControlProvider {
    /// The address and the port on which the HTTP server listens.
    private struct ServerAddress {
        let address: String
        let port: Int
        let guarding: RequestGuard
    }

    private let tokens: Locked<WebTokens>
    private let server = Locked<ServerAddress?>(nil)
    /// The path of the file in which tokens are kept for the next process; `nil` if they are not kept.
    private let path: String?
    /// Writes the tokens to `path`. Made when it is first needed, because it has a thread.
    private let file = Locked<TokenFile?>(nil)
    private let link: EngineConnection
    private let calls: WebCalls
    private let now: @Sendable () -> Int64

    /// - Parameters:
    ///   - socket: the engine's own socket.
    ///   - stateDirectory: the directory in which tokens are kept for the next process; if `nil`, they are not kept.
    ///   - now: microseconds since 1970.
    package init(
        socket: String,
        stateDirectory: String?,
        now: @escaping @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970 * 1e6) }
    ) {
        path = stateDirectory.map { "\($0)/web-tokens.json" }
        tokens = Locked(WebTokens(path.map(TokenFile.read) ?? []))
        link = EngineConnection(socket: socket)
        calls = WebCalls(link: link)
        self.now = now
    }

    /// Call when the HTTP server listens.
    package func serve(address: String, port: Int) {
        server.withLock { $0 = ServerAddress(address: address, port: port, guarding: RequestGuard(port: port)) }
    }

    /// Ends all streams. Call before the control socket ends.
    package func stop() async {
        calls.streams.cancelAll()
        await link.close()
    }

    // MARK: The control socket

    package func openWebControl(lifetime: MediaTime) async throws(EngineError) -> WebGrant {
        guard let server = server.withLock(\.self), Self.isLocal(server.address) else {
            throw EngineError(.unavailable, "control over HTTP needs an HTTP server on 127.0.0.1")
        }
        let (token, ticket) = (Self.secret(), Self.secret())
        let time = now()
        let grant = tokens.withLock {
            $0.add(token: token, ticket: ticket, lifetime: lifetime.microseconds, at: time)
        }
        guard let grant else {
            throw EngineError(.resourceExhausted, "\(WebTokens.limit) tokens exist; run `enginectl web --revoke`")
        }
        try await saveTokens()
        let base = "http://127.0.0.1:\(server.port)/web/"
        return WebGrant(
            url: "\(base)#\(ticket)",
            apiURL: "\(base)api/",
            token: token,
            expiresUnixMicroseconds: grant.expiry
        )
    }

    package func closeWebControl() async throws(EngineError) -> Int {
        let time = now()
        let count = tokens.withLock { $0.revokeAll(at: time) }
        calls.streams.cancelAll()
        // This call must fail if the file cannot be removed, because the next process would accept the revoked tokens.
        try await saveTokens()
        return count
    }

    private func saveTokens() async throws(EngineError) {
        guard let path else { return }
        let file = file.withLock { file in
            let made = file ?? TokenFile(path: path)
            file = made
            return made
        }
        do {
            try await file.write { [tokens] in tokens.withLock(\.grants) }
        } catch {
            throw EngineError(.unavailable, "cannot write \(path)", cause: "\(error)")
        }
    }

    private static func secret() -> String { Hexadecimal.text(randomBytes(20)) }

    private static func isLocal(_ address: String) -> Bool {
        address == "127.0.0.1" || address == "0.0.0.0" || address == "::" || address == "localhost"
    }

    // MARK: The HTTP server

    package func admit(_ request: ControlRequest) -> ControlAdmission {
        let time = now()
        guard let server = server.withLock(\.self), tokens.withLock({ $0.isOpen(at: time) }) else {
            return .refused(.refusal(.notFound))
        }
        switch server.guarding.target(of: request) {
        case .failure(let refusal): return .refused(.refusal(refusal))
        case .success(.file), .success(.root), .success(.document): return .admitted(bodyLimit: 0)
        case .success(.ticket): return .admitted(bodyLimit: RequestGuard.bodyLimit)
        case .success(.call):
            guard let token = RequestGuard.token(of: request),
                tokens.withLock({ $0.expiry(of: token, at: time) }) != nil
            else { return .refused(.refusal(.token)) }
            return .admitted(bodyLimit: RequestGuard.bodyLimit)
        }
    }

    package func respond(to request: ControlRequest) async -> ControlResponse {
        guard case .success(let target)? = server.withLock(\.self)?.guarding.target(of: request) else {
            return .refusal(.notFound)
        }
        switch target {
        case .file(let name): return WebPage.file(named: name).map(ControlResponse.file) ?? .refusal(.notFound)
        case .root: return .redirect(to: "/web/")
        case .document:
            let bytes = Array(OpenAPI.builtIn.utf8)
            return .file(PageFile(contentType: "application/json", bytes: bytes))
        case .ticket: return exchange(request.body)
        case .call(let name):
            let token = RequestGuard.token(of: request) ?? ""
            return await calls.respond(to: name, request.body) { [tokens, now] in
                tokens.withLock { $0.expiry(of: token, at: now()) } != nil
            }
        }
    }

    private func exchange(_ body: [UInt8]) -> ControlResponse {
        let value: JSON
        do throws(JSONError) {
            value = try JSON(parsing: body)
        } catch {
            let message = "the body is not JSON: it \(error.reason) at byte \(error.offset)"
            return .refusal(Refusal(status: 400, error: EngineError(.invalidArgument, message)))
        }
        let time = now()
        guard let ticket = value["ticket"]?.string,
            let grant = tokens.withLock({ $0.exchange(ticket: ticket, at: time) })
        else { return .refusal(.ticket) }
        return .json(.object(("token", .string(grant.token)), ("expires_unix_us", .integer(grant.expiry))))
    }
}
