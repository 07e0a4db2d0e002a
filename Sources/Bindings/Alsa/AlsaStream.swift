// SPDX-License-Identifier: Apache-2.0

internal import EngineRuntime
internal import Synchronization

/// A stream of sound to a device of alsa-lib, which a thread of its own looks after.
///
/// Thread-safety: safe. No call but `open` blocks for longer than a lock is held: plugins may wait for a server, so nothing but
/// the thread calls alsa-lib.
package final class AlsaStream: Sendable {
    private let modes: [AlsaMode]
    private let transit: Locked<AlsaTransit>
    private let wake: WakeSignal

    private init(_ modes: [AlsaMode], _ transit: Locked<AlsaTransit>, _ wake: WakeSignal) {
        self.modes = modes
        self.transit = transit
        self.wake = wake
    }

    /// Opens a device, and finds out what it can be set up for.
    ///
    /// - Parameters:
    ///   - name: that of alsa-lib's configuration, such as `default` or `hw:0,0`. It may be more than a name there, which is not
    ///     for strangers to choose.
    ///   - onChange: called on the stream's thread when there is room for samples, when a flush is done, and when it is over.
    package static func open(
        _ name: String,
        onChange: @escaping @Sendable () -> Void
    ) async throws(AlsaError) -> AlsaStream {
        let thread = AlsaThread()
        let modes = try await thread.open(name)
        let transit = Locked(AlsaTransit())
        let wake = WakeSignal()
        // Ends when the stream is gone.
        Task { await thread.run(transit, wake, onChange) }
        return AlsaStream(modes, transit, wake)
    }

    deinit { close() }

    /// The thread closes the device as soon as it can. Nothing is played after this.
    package func close() {
        let isOpen = transit.withLock { transit in
            defer { transit.orders.isClosed = true }
            return !transit.hasEnded && !transit.orders.isClosed
        }
        if isOpen { AlsaThread.closing.add(1, ordering: .relaxed) }
        wake.call()
    }

    /// What the device wants to be given of `source`: its channels and its rate where it has them. The answer holds until the
    /// next flush.
    package func format(for source: AudioFormat) -> AudioFormat {
        transit.withLock { transit in
            if let format = transit.format { return format }
            guard let mode = modes.best(for: source.layout) else { return source }
            transit.choose(mode, rate: mode.rate(for: source.rate))
            return mode.format(rate: transit.orders.rate)
        }
    }

    /// Why the device is gone; `nil` while it is there.
    package var failure: AlsaError? { transit.withLock { $0.failure } }

    /// How many samples are taken at once: all or, while the device has enough, none.
    package var room: Int {
        let now = monotonicNanoseconds()
        return transit.withLock { $0.unheard(at: now) < $0.capacity } ? .max : 0
    }

    /// Takes all of `block`, in the format that was said.
    package func write(_ block: SampleBlock) {
        transit.withLock { $0.queue.append(block) }
        wake.call()
    }

    /// Begins to play, or stops where it is.
    package func setRunning(_ isRunning: Bool) {
        transit.withLock { $0.orders.wantsToPlay = isRunning }
        wake.call()
    }

    /// Throws away what is not played yet. `onChange` is called when that is done.
    package func flush() {
        transit.withLock { $0.flush() }
        wake.call()
    }

    /// Whether a flush is not done yet.
    package var isFlushing: Bool { transit.withLock { $0.flushed != $0.orders.epoch && $0.failure == nil } }

    /// Plays what there is, however little: nothing follows.
    package func end() {
        transit.withLock { $0.orders.isEnding = true }
        wake.call()
    }

    /// How long a sample that is written now waits until it is heard, in seconds.
    package var delay: Double {
        let now = monotonicNanoseconds()
        return transit.withLock { Double($0.unheard(at: now)) / Double($0.orders.rate) }
    }

    /// How often the device ran dry while more was to come.
    package var underruns: Int { transit.withLock { $0.underruns } }

    /// Whether the device is a clock; else it takes what it is given at once, and the monotonic clock is.
    package var keepsTime: Bool { transit.withLock { $0.clock.keepsTime } }
}
