// SPDX-License-Identifier: Apache-2.0

internal import CAlsa
internal import EngineRuntime
internal import Glibc

/// A device of alsa-lib that plays (`snd_pcm_t`), without blocking writes.
///
/// One thread calls it, that which opened it, and one that may block: plugins wait for others.
@safe struct AlsaDevice: ~Copyable {
    enum Condition {
        /// Set up; what is written waits.
        case ready
        case playing
        case paused
        /// It has run dry, and must be made ready.
        case dry
        /// Its machine has slept.
        case suspended
    }

    struct Status {
        let condition: Condition
        /// How many samples that it has are not heard yet.
        let delay: Int64
        /// Of the monotonic clock: when that was so.
        let moment: Int64
    }

    let pcm: OpaquePointer
    /// What it is set up for; `nil` until it is.
    var setup: AlsaSetup?

    private init(_ pcm: OpaquePointer) { unsafe self.pcm = pcm }

    deinit { unsafe snd_pcm_close(pcm) }

    /// Opens a device (`snd_pcm_open`), by a name of alsa-lib's configuration.
    ///
    /// - Parameter mixes: whether plugins may make other channels of those they are given, in their own way: they leave out
    ///   what does not fit.
    static func open(_ name: String, mixes: Bool) throws(AlsaError) -> AlsaDevice {
        assertMayBlock("snd_pcm_open")
        AlsaMessages.keep()
        var pcm: OpaquePointer?
        let flags = SND_PCM_NONBLOCK | SND_PCM_NO_AUTO_RESAMPLE | (mixes ? 0 : SND_PCM_NO_AUTO_CHANNELS)
        let status = unsafe snd_pcm_open(&pcm, name, SND_PCM_STREAM_PLAYBACK, flags)
        try AlsaError.check(status, "snd_pcm_open")
        guard let pcm = unsafe pcm else { throw AlsaError(-ENODEV, in: "snd_pcm_open") }
        return unsafe AlsaDevice(pcm)
    }

    /// What it does, and how far it is (`snd_pcm_status`).
    ///
    /// - Throws: when it is gone.
    func status() throws(AlsaError) -> Status {
        var status: OpaquePointer?
        unsafe snd_pcm_status_malloc(&status)
        guard let status = unsafe status else { preconditionFailure("snd_pcm_status_malloc is out of memory") }
        defer { unsafe snd_pcm_status_free(status) }
        try AlsaError.check(unsafe snd_pcm_status(pcm, status), "snd_pcm_status")
        let now = monotonicNanoseconds()
        var stamp = snd_htimestamp_t()
        unsafe snd_pcm_status_get_htstamp(status, &stamp)
        let told = Int64(stamp.tv_sec) * 1_000_000_000 + Int64(stamp.tv_nsec)
        let condition: Condition
        switch unsafe snd_pcm_status_get_state(status) {
        case SND_PCM_STATE_RUNNING, SND_PCM_STATE_DRAINING: condition = .playing
        case SND_PCM_STATE_PAUSED: condition = .paused
        case SND_PCM_STATE_XRUN: condition = .dry
        case SND_PCM_STATE_SUSPENDED: condition = .suspended
        case SND_PCM_STATE_DISCONNECTED: throw AlsaError(-ENODEV, in: "snd_pcm_status")
        default: condition = .ready
        }
        return Status(
            condition: condition,
            delay: unsafe Int64(snd_pcm_status_get_delay(status)),
            // Some devices have no time, or that of another clock.
            moment: (now - 1_000_000_000...now).contains(told) ? told : now
        )
    }

    /// Gives it the samples from `first` on, in the format it is set up for (`snd_pcm_writei`), as many as it has room for.
    ///
    /// - Parameter stride: bytes of one sample of all channels.
    /// - Returns: how many it took; `nil` when it must be looked at (`status`) before.
    func write(_ block: SampleBlock, from first: Int, stride: Int) throws(AlsaError) -> Int? {
        guard let plane = block.planes.first, first < block.count else { return 0 }
        let count = snd_pcm_uframes_t(block.count - first)
        let written = unsafe plane.withUnsafeBytes { bytes in
            unsafe bytes.baseAddress.map { unsafe snd_pcm_writei(pcm, $0 + first * stride, count) } ?? 0
        }
        switch CInt(clamping: written) {
        case -EAGAIN, -EINTR: return 0
        case -EPIPE, -ESTRPIPE: return nil
        case let status: return Int(try AlsaError.check(status, "snd_pcm_writei"))
        }
    }

    /// It begins to play what it has (`snd_pcm_start`).
    func start() throws(AlsaError) { try AlsaError.check(unsafe snd_pcm_start(pcm), "snd_pcm_start") }

    /// Throws away what it has not played, and is ready again (`snd_pcm_drop`, `snd_pcm_prepare`).
    func drop() throws(AlsaError) {
        try AlsaError.check(unsafe snd_pcm_drop(pcm), "snd_pcm_drop")
        try prepare()
    }

    func prepare() throws(AlsaError) { try AlsaError.check(unsafe snd_pcm_prepare(pcm), "snd_pcm_prepare") }

    /// Stands where it is, or goes on (`snd_pcm_pause`).
    ///
    /// - Returns: whether it can.
    func pause(_ isPaused: Bool) -> Bool {
        let status = unsafe snd_pcm_pause(pcm, isPaused ? 1 : 0)
        _ = AlsaMessages.take()
        return status >= 0
    }

    /// Goes on after its machine has slept (`snd_pcm_resume`).
    ///
    /// - Returns: whether it can; `nil` while it is not awake yet.
    func resume() -> Bool? {
        let status = unsafe snd_pcm_resume(pcm)
        _ = AlsaMessages.take()
        return status == -EAGAIN ? nil : status >= 0
    }
}
