// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import EngineRuntime

/// Limits how long a recording waits for its source after a request to end: a server may be silent, and a read of a
/// dead share may never return.
///
/// Belongs to the recorder's actor.
final class RecordingEnd {
    private let patience: Duration
    /// Ends the wait for media.
    private var giveUp: (@Sendable () -> Void)?
    private(set) var isRequested = false

    /// - Parameter patience: how long the recording still waits for media after a request to end.
    init(patience: Duration = .seconds(1)) { self.patience = patience }

    /// Requests the end. If the recording waits for media, it stops waiting after `patience`.
    func request() {
        isRequested = true
        guard let giveUp else { return }
        // Owned by nobody: it ends after `patience`. Cancelling work that is complete has no effect.
        Task { [patience] in
            do { try await Task.sleep(for: patience) } catch { return }
            giveUp()
        }
    }

    /// Performs `work` in a task that is cancelled `patience` after a request to end, or with the caller.
    func limit<Value: Sendable>(
        isolation: isolated (any Actor)? = #isolation,
        _ work: @escaping @Sendable () async throws(EngineError) -> Value
    ) async throws(EngineError) -> Value {
        // Owned by this call, which waits for it: cancelled by the end of the caller's task, and by `giveUp`.
        let task = Task { () -> Result<Value, EngineError> in
            do throws(EngineError) { return .success(try await work()) } catch { return .failure(error) }
        }
        giveUp = { task.cancel() }
        defer { giveUp = nil }
        let result = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        return try result.get()
    }
}
