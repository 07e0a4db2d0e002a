// SPDX-License-Identifier: Apache-2.0

public import EngineModel
internal import Wire

/// The engine's cache of sources on servers.
public struct EngineSourceCache: Sendable {
    fileprivate let client: EngineClient

    public func report(timeout: Duration? = nil) async throws(EngineClientError) -> SourceCacheReport {
        try await client.channel.unary(
            "GetSourceCache",
            SourceCacheQuery.framedRequest(),
            timeout: timeout,
            SourceCacheQuery.report(wire:)
        )
    }

    /// Removes a source from the cache; without a source, removes all. The engine fetches sources in use again when it
    /// reads them.
    ///
    /// - Parameter source: a URL, whose user name, password and query are ignored.
    public func clear(
        _ source: String? = nil,
        timeout: Duration? = nil
    ) async throws(EngineClientError) -> SourceCacheClearing {
        try await client.channel.unary(
            "ClearSourceCache",
            SourceCacheRemoval.framedRequest(source),
            timeout: timeout,
            SourceCacheRemoval.clearing(wire:)
        )
    }
}

extension EngineClient {
    public var sourceCache: EngineSourceCache { EngineSourceCache(client: self) }
}
