// SPDX-License-Identifier: Apache-2.0

internal import EngineRuntime
internal import Glibc
internal import Synchronization

/// The thread on which a device is opened, played on and closed. It waits for nobody but the device.
///
/// A stream starts it, and owns it through what it tells it.
actor AlsaThread {
    /// How many streams are gone whose devices are still to be closed.
    static let closing = Atomic<Int>(0)
    /// How often, and after how many microseconds, a device that is in use is tried again while others are being closed.
    private static let attempts = 100
    private static let pause: UInt32 = 10_000

    private nonisolated let executor = ThreadExecutor(name: "sound-alsa")
    private var device: AlsaDevice?

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    /// - Returns: what the device can be set up for.
    func open(_ name: String) throws(AlsaError) -> [AlsaMode] {
        if let modes = try open(name, mixes: false) { return modes }
        // It has channels that the engine has no name for.
        if let modes = try open(name, mixes: true) { return modes }
        let detail = "it takes no floats, 32 or 16 bits in any usual rate and order; a plughw device might"
        throw AlsaError(-EINVAL, in: "snd_pcm_hw_params_any", detail: detail)
    }

    /// - Returns: `nil` where it takes nothing of what the engine has.
    private func open(_ name: String, mixes: Bool) throws(AlsaError) -> [AlsaMode]? {
        let device = try Self.opened(name, mixes: mixes)
        let modes = try device.modes(mixes: mixes)
        guard !modes.isEmpty else { return nil }
        self.device = consume device
        return modes
    }

    /// A device that only one may have is free a moment after the stream that had it is gone.
    private static func opened(_ name: String, mixes: Bool) throws(AlsaError) -> AlsaDevice {
        for _ in 0..<attempts {
            do throws(AlsaError) { return try AlsaDevice.open(name, mixes: mixes) } catch {
                guard error.code == -EBUSY, closing.load(ordering: .relaxed) > 0 else { throw error }
                usleep(pause)
            }
        }
        return try AlsaDevice.open(name, mixes: mixes)
    }

    /// Plays until the stream is gone, or the device.
    func run(_ transit: Locked<AlsaTransit>, _ wake: WakeSignal, _ onChange: @Sendable () -> Void) {
        play(transit, wake, onChange)
        _ = AlsaMessages.take()
        let isAwaited = transit.withLock { transit in
            transit.hasEnded = true
            return transit.orders.isClosed
        }
        if isAwaited { Self.closing.subtract(1, ordering: .relaxed) }
    }

    /// The device is closed at the end.
    private func play(_ transit: Locked<AlsaTransit>, _ wake: WakeSignal, _ onChange: @Sendable () -> Void) {
        guard let device = device.take() else { return }
        var player = AlsaPlayer(device, transit)
        do throws(AlsaError) {
            while try player.turn(onChange) { wake.wait(atMost: player.pause) }
        } catch {
            let now = monotonicNanoseconds()
            transit.withLock { transit in
                transit.clock.stop(at: now)
                transit.failure = error
            }
            onChange()
        }
    }
}
