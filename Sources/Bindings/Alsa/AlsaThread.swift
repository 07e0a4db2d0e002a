// SPDX-License-Identifier: Apache-2.0

internal import EngineRuntime
internal import Glibc

/// The thread that opens, plays and closes the device of one stream. Calls to alsa-lib may block it without delaying
/// anything else.
///
/// Each stream starts its own thread and controls it through an `AlsaTransit`.
actor AlsaThread {
    static let closing = ClosingDevices()
    /// How long a stream waits for a busy device while others are being closed.
    private static let patience: Int64 = 1_000_000_000

    private nonisolated let executor = ThreadExecutor(name: "sound-alsa")
    private var device: AlsaDevice?

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    /// - Returns: the modes that the device supports.
    func open(_ name: String) throws(AlsaError) -> [AlsaMode] {
        if let modes = try open(name, mixes: false) { return modes }
        // The device itself has no suitable mode, e.g. because of its channels. Let plugins convert the channels.
        if let modes = try open(name, mixes: true) { return modes }
        let detail = "the device supports no float, 32-bit or 16-bit mode at a usual rate; try a plughw device"
        throw AlsaError(-EINVAL, in: "snd_pcm_hw_params_any", detail: detail)
    }

    /// - Returns: `nil` if the device supports none of the engine's modes.
    private func open(_ name: String, mixes: Bool) throws(AlsaError) -> [AlsaMode]? {
        let device = try Self.opened(name, mixes: mixes)
        let modes = try device.modes(mixes: mixes)
        guard !modes.isEmpty else { return nil }
        self.device = consume device
        return modes
    }

    /// Opens a device. While other streams are being closed, a busy device is tried again, because an exclusive device
    /// becomes free only a moment after the stream that held it was closed.
    private static func opened(_ name: String, mixes: Bool) throws(AlsaError) -> AlsaDevice {
        let end = monotonicNanoseconds() + patience
        while true {
            let closed = closing.closed
            do throws(AlsaError) { return try AlsaDevice.open(name, mixes: mixes) } catch {
                guard error.code == -EBUSY, closing.wait(after: closed, until: end) else { throw error }
            }
        }
    }

    /// Plays until the stream is closed or the device fails.
    func run(_ transit: Locked<AlsaTransit>, _ wake: WakeSignal, _ onChange: @Sendable () -> Void) {
        play(transit, wake, onChange)
        _ = AlsaMessages.take()
        let isAwaited = transit.withLock { transit in
            transit.hasEnded = true
            return transit.orders.isClosed
        }
        if isAwaited { Self.closing.end() }
    }

    /// Closes the device on return.
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
