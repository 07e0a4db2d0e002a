// SPDX-License-Identifier: Apache-2.0

/// Makes still images from sources.
///
/// Thread-safety: safe. Every call may be cancelled through its task.
package protocol StillService: Sendable {
    /// - Parameter arrival: increases with each request, in order of arrival. It decides which request is the newest,
    ///   because concurrent calls may reach the source in another order.
    func still(_ request: StillRequest, arrival: UInt64) async throws(EngineError) -> Still

    /// Opens the source, so that the first still is available sooner.
    func prewarm(_ source: StillSource) async throws(EngineError)

    /// - Parameter progress: called with the number of finished images and the total.
    func contactSheet(
        _ request: ContactSheetRequest,
        progress: @escaping @Sendable (Int, Int) -> Void
    ) async throws(EngineError) -> Still
}
