// SPDX-License-Identifier: Apache-2.0

public import EngineModel
internal import Wire

// Thumbnails, snapshots and contact sheets.
extension EngineClient {
    public func still(_ request: StillRequest, timeout: Duration? = nil) async throws(EngineClientError) -> Still {
        let method = request.kind == .thumbnail ? "Thumbnail" : "Snapshot"
        return try await channel.unary(method, request.framed(), timeout: timeout, Still.init(wire:))
    }

    /// Makes the engine open the source in advance, so that the first still takes less time.
    public func prewarm(_ source: StillSource, timeout: Duration? = nil) async throws(EngineClientError) {
        let request = PrewarmMessages.framed(source)
        try await channel.unary("PrewarmStills", request, timeout: timeout, PrewarmMessages.check(answer:))
    }

    /// - Parameter progress: called with the number of finished stills and the total.
    public func contactSheet(
        _ request: ContactSheetRequest,
        progress: @Sendable (Int, Int) -> Void
    ) async throws(EngineClientError) -> Still {
        let call = await channel.call("/engine.v1.Engine/ContactSheet", request.framed(), timeout: nil)
        var sheet: Still?
        while let update = try await call.next(ContactSheetProgress.init(wire:)) {
            progress(update.done, update.total)
            sheet = update.sheet ?? sheet
        }
        guard let sheet else { throw EngineClientError(.internal, "the engine's response contains no sheet") }
        return sheet
    }
}
