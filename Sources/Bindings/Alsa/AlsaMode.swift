// SPDX-License-Identifier: Apache-2.0

/// One way in which a device can be set up.
struct AlsaMode: Hashable, Sendable {
    /// What is asked for where a device takes nothing that is usual.
    static let rates = [
        8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 64_000, 88_200, 96_000, 176_400, 192_000,
        352_800, 384_000,
    ]

    let channels: AlsaChannels
    let samples: SampleFormat
    /// Those of `AlsaMode.rates` that it takes without changing them, rising. Not empty.
    let rates: [Int]

    func format(rate: Int) -> AudioFormat { AudioFormat(samples: samples, rate: rate, layout: channels.layout) }

    /// The source's rate where the device takes it, else the next above it, so that nothing is lost; else the highest.
    func rate(for source: Int) -> Int { rates.first { $0 >= source } ?? rates.last ?? source }
}

extension [AlsaMode] {
    /// The one in which a source is heard best: with as many of its channels as can be, and no more.
    ///
    /// What has one channel goes to both of a device that has two, rather than to the middle of one that has more.
    func best(for source: ChannelLayout) -> AlsaMode? {
        let isMono = source.count == 1 && !contains { $0.channels.layout == source }
        let wanted = isMono ? ChannelLayout(mask: 0b11) : source
        return self.max { $0.channels.fit(wanted) < $1.channels.fit(wanted) }
    }
}
