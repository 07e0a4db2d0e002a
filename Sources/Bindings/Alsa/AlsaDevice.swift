// SPDX-License-Identifier: Apache-2.0

internal import CAlsa
internal import EngineRuntime
internal import Glibc

/// An alsa-lib playback device (`snd_pcm_t`) with non-blocking writes.
///
/// It must be called only on the thread that opened it, and that thread must be allowed to block: plugins wait for
/// servers.
@safe struct AlsaDevice: ~Copyable {
    enum Condition {
        /// Set up but not started; written samples wait.
        case ready
        case playing
        case paused
        /// The device has underrun and must be prepared again.
        case dry
        /// The machine was suspended.
        case suspended
    }

    struct Status {
        let condition: Condition
        /// The number of samples in the device that have not been heard.
        let delay: Int64
        /// When `delay` was measured, in nanoseconds of the monotonic clock.
        let moment: Int64
    }

    let pcm: OpaquePointer
    /// The current setup; `nil` before the first.
    var setup: AlsaSetup?

    private init(_ pcm: OpaquePointer) { unsafe self.pcm = pcm }

    deinit { unsafe snd_pcm_close(pcm) }

    /// Opens a device by its name in alsa-lib's configuration (`snd_pcm_open`).
    ///
    /// - Parameter mixes: whether plugins may convert the channels in their own way. They drop channels that the device
    ///   lacks.
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

    /// The device's state and its delay (`snd_pcm_status`).
    ///
    /// - Throws: if `snd_pcm_status` fails, or the device is gone.
    func status() throws(AlsaError) -> Status {
        var status: OpaquePointer?
        unsafe snd_pcm_status_malloc(&status)
        guard let status = unsafe status else { preconditionFailure("snd_pcm_status_malloc: out of memory") }
        defer { unsafe snd_pcm_status_free(status) }
        try AlsaError.check(unsafe snd_pcm_status(pcm, status), "snd_pcm_status")
        let now = monotonicNanoseconds()
        var stamp = snd_htimestamp_t()
        unsafe snd_pcm_status_get_htstamp(status, &stamp)
        let reported = Int64(stamp.tv_sec) * 1_000_000_000 + Int64(stamp.tv_nsec)
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
            // Some devices report no time, or the time of another clock.
            moment: (now - 1_000_000_000...now).contains(reported) ? reported : now
        )
    }

    /// Writes the samples of `block` from `first` on, as many as the device has room for (`snd_pcm_writei`). They must
    /// have the format of the setup.
    ///
    /// - Parameter stride: bytes per sample across all channels.
    /// - Returns: the number of samples written, 0 if the device has no room; `nil` after an underrun or a suspend,
    ///   which `status` distinguishes.
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

    /// Starts playback of the samples written so far (`snd_pcm_start`).
    func start() throws(AlsaError) { try AlsaError.check(unsafe snd_pcm_start(pcm), "snd_pcm_start") }

    /// Discards unplayed samples and prepares the device again (`snd_pcm_drop`, `snd_pcm_prepare`).
    func drop() throws(AlsaError) {
        try AlsaError.check(unsafe snd_pcm_drop(pcm), "snd_pcm_drop")
        try prepare()
    }

    func prepare() throws(AlsaError) { try AlsaError.check(unsafe snd_pcm_prepare(pcm), "snd_pcm_prepare") }

    /// Pauses or resumes (`snd_pcm_pause`).
    ///
    /// - Returns: whether the device did so.
    func pause(_ isPaused: Bool) -> Bool {
        let status = unsafe snd_pcm_pause(pcm, isPaused ? 1 : 0)
        _ = AlsaMessages.take()
        return status >= 0
    }

    /// Resumes after the machine was suspended (`snd_pcm_resume`).
    ///
    /// - Returns: whether the device could resume; `nil` while it is still waking up.
    func resume() -> Bool? {
        let status = unsafe snd_pcm_resume(pcm)
        _ = AlsaMessages.take()
        return status == -EAGAIN ? nil : status >= 0
    }
}
