// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// The scan that continues after a session's source was opened.
///
/// Belongs to the session's actor. `SessionPlanning` runs it.
final class SessionScan {
    private enum State {
        /// No scan has been needed yet after the source was opened.
        case none
        case running(Task<Void, Never>)
        case ended
        case failed(EngineError)
    }

    private var state = State.none

    deinit { stop() }

    /// Why the scan has stopped before the plan was complete. `nil` also if the plan of a growing source ends with the
    /// media found so far.
    var failure: EngineError? {
        if case .failed(let error) = state { error } else { nil }
    }

    /// Whether a scan has ended, so that nothing more will become known.
    var isOver: Bool {
        switch state {
        case .none, .running: false
        case .ended, .failed: true
        }
    }

    /// - Parameter task: scans the source. Cancelled when the session ends.
    func started(_ task: Task<Void, Never>) { state = .running(task) }

    /// The scan of a source that does not grow has stopped before the plan was complete.
    func failed(_ error: EngineError) { state = .failed(error) }

    /// The task has ended.
    func ended() {
        if case .running = state { state = .ended }
    }

    /// Ends the scan: the session is stopped.
    func stop() {
        if case .running(let task) = state { task.cancel() }
        state = .ended
    }

    /// Returns when the scan is not running any more.
    func untilOver() async {
        if case .running(let task) = state { await task.value }
    }
}
