// SPDX-License-Identifier: Apache-2.0

internal import EngineRuntime
internal import Synchronization

/// Whether playback waits for media from the source. As long as it does, other readers of the same source wait too.
///
/// Thread-safety: safe.
package final class PlaybackPressure: Sendable {
    /// Whether the current task reads for a segment that a player waits for, so that it does not give way to playback.
    @TaskLocal package static var isPartOfPlayback = false

    private let value = Atomic<Bool>(false)
    private let relief = ChangeSignal()

    package init() {}

    /// Whether playback is waiting.
    package var isUp: Bool {
        get { value.load(ordering: .relaxed) }
        set {
            let wasUp = value.exchange(newValue, ordering: .relaxed)
            if wasUp, !newValue { relief.signal() }
        }
    }

    /// Returns when playback no longer waits for media, when the task is cancelled, or after `time`. Returns at once if
    /// `isPartOfPlayback`.
    package func waitForRelief(atMost time: Duration) async {
        guard !Self.isPartOfPlayback else { return }
        let deadline = Deadline(in: time)
        while !Task.isCancelled, !deadline.hasPassed {
            let seen = relief.signalCount
            guard isUp else { return }
            await relief.wait(after: seen, until: deadline.nanoseconds)
        }
    }
}
