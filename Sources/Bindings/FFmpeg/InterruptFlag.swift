// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg
internal import Synchronization

/// Interrupts a blocking libavformat call from another thread.
///
/// Thread-safety: safe, at any time, even while no call is running.
package final class InterruptFlag: Sendable {
    private let isRaised = Atomic<Bool>(false)

    package init() {}

    package func raise() { isRaised.store(true, ordering: .releasing) }

    package var isUp: Bool { isRaised.load(ordering: .acquiring) }

    /// The C view of this flag (`AVFormatContext.interrupt_callback`). The flag must outlive the context that holds it.
    var callback: AVIOInterruptCB {
        unsafe AVIOInterruptCB(
            callback: { opaque in
                guard let opaque = unsafe opaque else { return 0 }
                return unsafe Unmanaged<InterruptFlag>.fromOpaque(opaque).takeUnretainedValue().isUp ? 1 : 0
            },
            opaque: Unmanaged.passUnretained(self).toOpaque()
        )
    }
}
