// SPDX-License-Identifier: Apache-2.0

/// What makes pictures of films.
///
/// Thread-safety: safe. Every call may be cancelled through its task.
package protocol StillService: Sendable {
    func still(_ request: StillRequest) async throws(EngineError) -> Still

    /// Opens the source, so that the first still comes sooner.
    func prewarm(_ source: StillSource) async throws(EngineError)

    /// - Parameter progress: hears how many pictures are done, of how many.
    func contactSheet(
        _ request: ContactSheetRequest,
        progress: @escaping @Sendable (Int, Int) -> Void
    ) async throws(EngineError) -> Still
}
