// SPDX-License-Identifier: Apache-2.0

public import EngineModel
internal import Wire

/// The playback history of an engine that keeps one: how far sources were played.
public struct EngineHistory: Sendable {
    fileprivate let client: EngineClient

    /// All entries, the latest first.
    public func entries(timeout: Duration? = nil) async throws(EngineClientError) -> [HistoryEntry] {
        try await client.channel.unary(
            "ListHistory",
            HistoryList.framedRequest(),
            timeout: timeout,
            HistoryList.entries(wire:)
        )
    }

    /// Removes the entries of a source, including those under other names of the same content. Without a source,
    /// removes everything.
    ///
    /// - Returns: how many entries were removed.
    public func clear(_ source: String? = nil, timeout: Duration? = nil) async throws(EngineClientError) -> Int {
        let request = HistoryClearing.framedRequest(source)
        return try await client.channel.unary("ClearHistory", request, timeout: timeout, HistoryClearing.removed(wire:))
    }
}

extension EngineClient {
    public var history: EngineHistory { EngineHistory(client: self) }
}
