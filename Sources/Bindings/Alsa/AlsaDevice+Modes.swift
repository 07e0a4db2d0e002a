// SPDX-License-Identifier: Apache-2.0

internal import CAlsa
internal import Glibc

// The configurations that a device supports.
extension AlsaDevice {
    /// All configurations of the device, without resampling in alsa-lib (`snd_pcm_hw_params_any`). The caller frees the
    /// result.
    @unsafe func allParameters() throws(AlsaError) -> OpaquePointer {
        var parameters: OpaquePointer?
        unsafe snd_pcm_hw_params_malloc(&parameters)
        guard let parameters = unsafe parameters else { preconditionFailure("snd_pcm_hw_params_malloc: out of memory") }
        do throws(AlsaError) {
            try AlsaError.check(unsafe snd_pcm_hw_params_any(pcm, parameters), "snd_pcm_hw_params_any")
            try AlsaError.check(
                unsafe snd_pcm_hw_params_set_rate_resample(pcm, parameters, 0),
                "snd_pcm_hw_params_set_rate_resample"
            )
        } catch {
            unsafe snd_pcm_hw_params_free(parameters)
            throw error
        }
        return unsafe parameters
    }

    /// - Parameter mixes: the value of `mixes` with which the device was opened.
    func modes(mixes: Bool) throws(AlsaError) -> [AlsaMode] {
        let all = try unsafe allParameters()
        defer { unsafe snd_pcm_hw_params_free(all) }
        // With `mixes`, plugins accept any number of channels. Use stereo, because most audio is stereo.
        let arrangements = mixes ? AlsaChannels.usual.filter { $0.layout.count == 2 } : arrangements
        let modes = arrangements.compactMap { unsafe mode($0, all) }
        _ = AlsaMessages.take()
        return modes
    }

    /// The channel maps to try: those the device reports (`snd_pcm_query_chmaps`), or else the usual ones.
    private var arrangements: [AlsaChannels] {
        if let maps = unsafe snd_pcm_query_chmaps(pcm) {
            defer { unsafe snd_pcm_free_chmaps(maps) }
            var known: [AlsaChannels] = []
            var next = unsafe maps
            while let map = unsafe next.pointee {
                if let channels = unsafe AlsaChannels(&map.pointee.map) { known.append(channels) }
                unsafe next += 1
            }
            if !known.isEmpty { return known }
        }
        return AlsaChannels.usual
    }

    /// The device's first sample format of float, 32-bit and 16-bit with these channels. Returns `nil` if the device
    /// supports none of the three at a rate of `AlsaMode.rates`.
    @unsafe private func mode(_ channels: AlsaChannels, _ all: OpaquePointer) -> AlsaMode? {
        var copy: OpaquePointer?
        unsafe snd_pcm_hw_params_malloc(&copy)
        guard let copy = unsafe copy else { preconditionFailure("snd_pcm_hw_params_malloc: out of memory") }
        defer { unsafe snd_pcm_hw_params_free(copy) }
        for samples in [SampleFormat.float, .int32, .int16] {
            unsafe snd_pcm_hw_params_copy(copy, all)
            guard unsafe snd_pcm_hw_params_set_access(pcm, copy, SND_PCM_ACCESS_RW_INTERLEAVED) >= 0,
                unsafe snd_pcm_hw_params_set_format(pcm, copy, samples.alsa) >= 0,
                unsafe snd_pcm_hw_params_set_channels(pcm, copy, CUnsignedInt(channels.layout.count)) >= 0
            else { continue }
            let rates = AlsaMode.rates.filter {
                unsafe snd_pcm_hw_params_test_rate(pcm, copy, CUnsignedInt($0), 0) >= 0
            }
            if !rates.isEmpty { return AlsaMode(channels: channels, samples: samples, rates: rates) }
        }
        return nil
    }
}
