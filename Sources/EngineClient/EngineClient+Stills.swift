// SPDX-License-Identifier: Apache-2.0

public import EngineModel
internal import Wire

// Thumbnails, snapshots and contact sheets.
extension EngineClient {
    public func still(
        _ request: StillRequest,
        timeout: Duration? = nil
    ) async throws(EngineClientError) -> Still {
        let method = request.kind == .thumbnail ? "Thumbnail" : "Snapshot"
        let bytes = try await unary("/engine.v1.Engine/\(method)", request.framed(), timeout: timeout)
        return try read { () throws(EngineError) in try Still(wire: bytes) }
    }

    /// Opens the source in advance, so that the first still takes less time.
    public func prewarm(_ source: StillSource, timeout: Duration? = nil) async throws(EngineClientError) {
        let request = PrewarmMessages.framed(source)
        let bytes = try await unary("/engine.v1.Engine/PrewarmStills", request, timeout: timeout)
        try read { () throws(EngineError) in try PrewarmMessages.check(answer: bytes) }
    }

    /// - Parameter progress: called with the number of finished pictures and the total.
    public func contactSheet(
        _ request: ContactSheetRequest,
        progress: @Sendable (Int, Int) -> Void
    ) async throws(EngineClientError) -> Still {
        let call = await call("/engine.v1.Engine/ContactSheet", request.framed(), timeout: nil)
        var sheet: Still?
        while let message = try await call.next() {
            let news = try read { () throws(EngineError) in try ContactSheetProgress(wire: message) }
            progress(news.done, news.total)
            sheet = news.sheet ?? sheet
        }
        guard let sheet else { throw EngineClientError(.internal, "the engine's response contains no sheet") }
        return sheet
    }
}
