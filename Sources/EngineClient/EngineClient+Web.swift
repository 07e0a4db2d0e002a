// SPDX-License-Identifier: Apache-2.0

public import EngineModel
internal import Wire

/// Control over HTTP. It is off until a client opens it.
public struct EngineWebControl: Sendable {
    fileprivate let client: EngineClient

    /// Opens control over HTTP and makes a token.
    ///
    /// - Parameter lifetime: how long the token is valid; `nil` for 12 hours.
    public func open(
        lifetime: MediaTime? = nil,
        timeout: Duration? = nil
    ) async throws(EngineClientError) -> WebGrant {
        let request = WebControlOpening.framedRequest(lifetime: lifetime)
        return try await client.channel.unary(
            "OpenWebControl",
            request,
            timeout: timeout,
            WebControlOpening.grant(wire:)
        )
    }

    /// Revokes all tokens and closes control over HTTP.
    ///
    /// - Returns: how many tokens were revoked.
    public func close(timeout: Duration? = nil) async throws(EngineClientError) -> Int {
        let request = WebControlClosing.framedRequest()
        return try await client.channel.unary(
            "CloseWebControl",
            request,
            timeout: timeout,
            WebControlClosing.revoked(wire:)
        )
    }
}

extension EngineClient {
    public var web: EngineWebControl { EngineWebControl(client: self) }
}
