// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Whether playback waits for what is being read: whoever reads the same source for something else waits then.
///
/// Thread-safety: safe.
package final class PlaybackPressure: Sendable {
    private let value = Atomic<Bool>(false)

    package var isUp: Bool {
        get { value.load(ordering: .relaxed) }
        set { value.store(newValue, ordering: .relaxed) }
    }
}
