// SPDX-License-Identifier: Apache-2.0

internal import CAlsa
internal import Glibc

/// The format, the channels and the buffer for which a device is set up.
struct AlsaSetup {
    struct Request: Equatable {
        let mode: AlsaMode
        let rate: Int
    }

    let request: Request
    /// The channel map in effect, in the device's own order.
    let channels: AlsaChannels
    /// The size of the device's buffer, in samples.
    let capacity: Int
    /// Whether the device can pause without losing its samples (`snd_pcm_hw_params_can_pause`). On some devices that
    /// cannot, `snd_pcm_pause` still reports success.
    let canPause: Bool

    var format: AudioFormat { request.mode.format(rate: request.rate) }
}

extension AlsaDevice {
    /// The buffer and period requested from the device, in microseconds.
    private static let buffer: CUnsignedInt = 200_000
    private static let period: CUnsignedInt = 25_000

    /// Sets up the device for a mode and a rate (`snd_pcm_hw_params`, `snd_pcm_sw_params`). The device must not be
    /// playing or paused, because `snd_pcm_hw_free` would fail.
    mutating func setUp(_ mode: AlsaMode, rate: Int) throws(AlsaError) {
        if setup != nil { try AlsaError.check(unsafe snd_pcm_hw_free(pcm), "snd_pcm_hw_free") }
        setup = nil
        let (capacity, canPause) = try hardware(mode, rate)
        try software(capacity)
        setup = AlsaSetup(
            request: AlsaSetup.Request(mode: mode, rate: rate),
            channels: arrange(mode.channels),
            capacity: capacity,
            canPause: canPause
        )
    }

    /// - Returns: the size of the device's buffer in samples, and whether the device can pause.
    private func hardware(_ mode: AlsaMode, _ rate: Int) throws(AlsaError) -> (Int, Bool) {
        let parameters = try unsafe allParameters()
        defer { unsafe snd_pcm_hw_params_free(parameters) }
        try AlsaError.check(
            unsafe snd_pcm_hw_params_set_access(pcm, parameters, SND_PCM_ACCESS_RW_INTERLEAVED),
            "snd_pcm_hw_params_set_access"
        )
        try AlsaError.check(
            unsafe snd_pcm_hw_params_set_format(pcm, parameters, mode.samples.alsa),
            "snd_pcm_hw_params_set_format"
        )
        try AlsaError.check(
            unsafe snd_pcm_hw_params_set_channels(pcm, parameters, CUnsignedInt(mode.channels.layout.count)),
            "snd_pcm_hw_params_set_channels"
        )
        try AlsaError.check(
            unsafe snd_pcm_hw_params_set_rate(pcm, parameters, CUnsignedInt(rate), 0),
            "snd_pcm_hw_params_set_rate"
        )
        var (buffer, period) = (Self.buffer, Self.period)
        // The device chooses the nearest values it supports; failure is harmless.
        unsafe snd_pcm_hw_params_set_buffer_time_near(pcm, parameters, &buffer, nil)
        unsafe snd_pcm_hw_params_set_period_time_near(pcm, parameters, &period, nil)
        try AlsaError.check(unsafe snd_pcm_hw_params(pcm, parameters), "snd_pcm_hw_params")
        var capacity: snd_pcm_uframes_t = 0
        try AlsaError.check(
            unsafe snd_pcm_hw_params_get_buffer_size(parameters, &capacity),
            "snd_pcm_hw_params_get_buffer_size"
        )
        return (Int(capacity), unsafe snd_pcm_hw_params_can_pause(parameters) != 0)
    }

    /// Makes the device start only on `snd_pcm_start`, with timestamps of the monotonic clock.
    ///
    /// The device would start by itself as soon as it holds as many samples as the start threshold. The threshold is
    /// twice the device's capacity, so this never happens. The usual value, the boundary
    /// (`snd_pcm_sw_params_get_boundary`), does not work: the PulseAudio plugin converts the threshold to bytes in 32
    /// bits, where the boundary becomes 0. Then the stream would run as soon as it is prepared, and samples written
    /// late would never be heard.
    private func software(_ capacity: Int) throws(AlsaError) {
        var parameters: OpaquePointer?
        unsafe snd_pcm_sw_params_malloc(&parameters)
        guard let parameters = unsafe parameters else { preconditionFailure("snd_pcm_sw_params_malloc: out of memory") }
        defer { unsafe snd_pcm_sw_params_free(parameters) }
        try AlsaError.check(unsafe snd_pcm_sw_params_current(pcm, parameters), "snd_pcm_sw_params_current")
        try AlsaError.check(
            unsafe snd_pcm_sw_params_set_start_threshold(pcm, parameters, snd_pcm_uframes_t(2 * capacity)),
            "snd_pcm_sw_params_set_start_threshold"
        )
        // These may fail: without timestamps, the time of the query is used.
        unsafe snd_pcm_sw_params_set_tstamp_mode(pcm, parameters, SND_PCM_TSTAMP_ENABLE)
        unsafe snd_pcm_sw_params_set_tstamp_type(pcm, parameters, SND_PCM_TSTAMP_TYPE_MONOTONIC)
        try AlsaError.check(unsafe snd_pcm_sw_params(pcm, parameters), "snd_pcm_sw_params")
        _ = AlsaMessages.take()
    }

    /// Requests a channel map (`snd_pcm_set_chmap`) and returns the map in effect. If the device reports no map, or one
    /// with other channels, `wanted` is assumed to be in effect.
    private func arrange(_ wanted: AlsaChannels) -> AlsaChannels {
        defer { _ = AlsaMessages.take() }
        guard let now = channelsNow else { return wanted }
        guard now != wanted else { return wanted }
        let count = wanted.positions.count
        let map = UnsafeMutablePointer<CUnsignedInt>.allocate(capacity: count + 1)
        defer { unsafe map.deallocate() }
        unsafe map.withMemoryRebound(to: snd_pcm_chmap_t.self, capacity: 1) { map in
            unsafe map.pointee.channels = CUnsignedInt(count)
            for (channel, position) in wanted.positions.enumerated() {
                unsafe calsa_set_position(map, CUnsignedInt(channel), position)
            }
            unsafe _ = snd_pcm_set_chmap(pcm, map)
        }
        guard let then = channelsNow, then.layout == wanted.layout else { return wanted }
        return then
    }

    private var channelsNow: AlsaChannels? {
        guard let map = unsafe snd_pcm_get_chmap(pcm) else { return nil }
        defer { unsafe free(map) }
        return unsafe AlsaChannels(map)
    }
}

extension SampleFormat {
    var alsa: snd_pcm_format_t {
        switch self {
        case .int16: SND_PCM_FORMAT_S16_LE
        case .int32: SND_PCM_FORMAT_S32_LE
        default: SND_PCM_FORMAT_FLOAT_LE
        }
    }
}
