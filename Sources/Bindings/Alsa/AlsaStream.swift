// SPDX-License-Identifier: Apache-2.0

internal import EngineRuntime

/// A playback stream to an alsa-lib device, serviced by its own thread.
///
/// Thread-safety: safe. Only `open` waits for the device; all other calls merely take a lock. Plugins may wait for a
/// server, so only the stream's thread calls alsa-lib.
package final class AlsaStream: Sendable {
    private let modes: [AlsaMode]
    private let transit: Locked<AlsaTransit>
    private let wake: WakeSignal

    private init(_ modes: [AlsaMode], _ transit: Locked<AlsaTransit>, _ wake: WakeSignal) {
        self.modes = modes
        self.transit = transit
        self.wake = wake
    }

    /// Opens a device and determines its modes.
    ///
    /// - Parameters:
    ///   - name: a name of alsa-lib's configuration, such as `default` or `hw:0,0`. alsa-lib also evaluates arguments
    ///     in it, so it must not come from untrusted input.
    ///   - onChange: called on the stream's thread: again and again while the device plays and there is room for
    ///     samples, when a flush is done, and when the device is gone.
    package static func open(
        _ name: String,
        onChange: @escaping @Sendable () -> Void
    ) async throws(AlsaError) -> AlsaStream {
        let thread = AlsaThread()
        let modes = try await thread.open(name)
        let transit = Locked(AlsaTransit())
        let wake = WakeSignal()
        // The task ends when the stream is closed or its device fails.
        Task { await thread.run(transit, wake, onChange) }
        return AlsaStream(modes, transit, wake)
    }

    deinit { close() }

    /// Closes the stream and returns at once. The stream's thread stops playback and closes the device as soon as it
    /// can.
    package func close() {
        let isOpen = transit.withLock { transit in
            defer { transit.orders.isClosed = true }
            return !transit.hasEnded && !transit.orders.isClosed
        }
        if isOpen { AlsaThread.closing.begin() }
        wake.call()
    }

    /// The format in which the device wants the audio of `source`: with the channels and rate of `source` if the device
    /// supports them. The answer holds until the next flush.
    package func format(for source: AudioFormat) -> AudioFormat {
        transit.withLock { transit in
            if let format = transit.format { return format }
            guard let mode = modes.best(for: source.layout) else { return source }
            transit.choose(mode, rate: mode.rate(for: source.rate))
            return mode.format(rate: transit.orders.rate)
        }
    }

    /// The reason why the device is gone; `nil` while it works.
    package var failure: AlsaError? { transit.withLock { $0.failure } }

    /// The number of samples that `write` accepts: any number (`Int.max`), or 0 while the device has enough.
    package var room: Int {
        let now = monotonicNanoseconds()
        return transit.withLock { $0.unheard(at: now) < $0.capacity } ? .max : 0
    }

    /// Takes all of `block`, which must be in the format that `format(for:)` returned.
    package func write(_ block: SampleBlock) {
        transit.withLock { $0.queue.append(block) }
        wake.call()
    }

    /// Starts or pauses playback.
    package func setRunning(_ isRunning: Bool) {
        transit.withLock { $0.orders.wantsToPlay = isRunning }
        wake.call()
    }

    /// Discards the samples that were not played. `onChange` is called when the flush is done.
    package func flush() {
        transit.withLock { $0.flush() }
        wake.call()
    }

    /// Whether a flush is still in progress.
    package var isFlushing: Bool { transit.withLock { $0.flushed != $0.orders.epoch && $0.failure == nil } }

    /// Signals that no more samples follow, so that the remaining ones are played, however few.
    package func end() {
        transit.withLock { $0.orders.isEnding = true }
        wake.call()
    }

    /// The time until a sample written now is heard, in seconds.
    package var delay: Double {
        let now = monotonicNanoseconds()
        return transit.withLock { Double($0.unheard(at: now)) / Double($0.orders.rate) }
    }

    /// The number of underruns of the device while more samples were expected.
    package var underruns: Int { transit.withLock { $0.underruns } }

    /// Whether the device acts as a clock. If not, it consumes samples at once, and the monotonic clock provides the
    /// position.
    package var keepsTime: Bool { transit.withLock { $0.clock.keepsTime } }
}
