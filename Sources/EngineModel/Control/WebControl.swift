// SPDX-License-Identifier: Apache-2.0

/// A token for control over HTTP, and the URLs at which it is used.
public struct WebGrant: Hashable, Sendable {
    /// The URL of the page. The part after the hash is a ticket, which the page exchanges for the token, once.
    public var url: String
    /// The part of a call's URL before the name of the RPC, with a slash at its end.
    public var apiURL: String
    public var token: String
    /// The time at which the token expires.
    public var expiresUnixMicroseconds: Int64

    public init(url: String, apiURL: String, token: String, expiresUnixMicroseconds: Int64) {
        self.url = url
        self.apiURL = apiURL
        self.token = token
        self.expiresUnixMicroseconds = expiresUnixMicroseconds
    }
}

/// Opens and closes control over HTTP, which is otherwise off.
///
/// Thread-safety: safe.
package protocol WebControlService: Sendable {
    /// Opens control over HTTP and makes a token.
    ///
    /// - Parameter lifetime: how long the token is valid.
    /// - Throws: `unavailable` if the HTTP server does not listen on a loopback address or if the tokens cannot be kept
    ///   for the next process, `resourceExhausted` if there are too many tokens.
    func openWebControl(lifetime: MediaTime) async throws(EngineError) -> WebGrant

    /// Revokes all tokens and closes control over HTTP.
    ///
    /// - Returns: how many tokens were revoked.
    /// - Throws: `unavailable` if the tokens that are kept for the next process cannot be removed.
    func closeWebControl() async throws(EngineError) -> Int
}
