// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Whether playback is waiting for media from the source. While it is, other readers of the same source wait.
///
/// Thread-safety: safe.
package final class PlaybackPressure: Sendable {
    private let value = Atomic<Bool>(false)

    package init() {}

    package var isUp: Bool {
        get { value.load(ordering: .relaxed) }
        set { value.store(newValue, ordering: .relaxed) }
    }
}
