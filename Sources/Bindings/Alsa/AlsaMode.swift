// SPDX-License-Identifier: Apache-2.0

/// A configuration that a device supports.
struct AlsaMode: Hashable, Sendable {
    /// The sample rates to test, in Hz.
    static let rates = [
        8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 64_000, 88_200, 96_000, 176_400, 192_000,
        352_800, 384_000,
    ]

    let channels: AlsaChannels
    let samples: SampleFormat
    /// The entries of `AlsaMode.rates` that the device supports without resampling, ascending. Not empty.
    let rates: [Int]

    func format(rate: Int) -> AudioFormat { AudioFormat(samples: samples, rate: rate, layout: channels.layout) }

    /// The source's rate if the device supports it, otherwise the next higher one, so that nothing is lost, or the
    /// highest.
    func rate(for source: Int) -> Int { rates.first { $0 >= source } ?? rates.last ?? source }
}

extension [AlsaMode] {
    /// The mode that suits a source best: it plays the most channels of the source and, of such modes, leaves the
    /// fewest of its own unused. `nil` if there is no mode.
    ///
    /// A mono source without a mono mode goes to stereo rather than to the centre channel of a larger layout.
    func best(for source: ChannelLayout) -> AlsaMode? {
        let isMono = source.count == 1 && !contains { $0.channels.layout == source }
        let wanted = isMono ? ChannelLayout(mask: 0b11) : source
        return self.max { $0.channels.fit(wanted) < $1.channels.fit(wanted) }
    }
}
