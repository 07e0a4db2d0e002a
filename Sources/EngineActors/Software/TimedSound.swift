// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import EngineModel

/// Decoded samples at their place on the session's timeline.
package struct TimedSound: Sendable {
    package let format: AudioFormat
    package let block: SampleBlock
    /// The place on the timeline of the first sample.
    package let time: MediaTime
    /// Whether it does not follow the samples before it on the timeline: the first after a seek, or after a real gap of the
    /// source.
    package let isDiscontinuous: Bool
    /// How many seconds of the timeline one second of these samples is.
    package let rate: Double

    package init(
        format: AudioFormat,
        block: SampleBlock,
        time: MediaTime,
        isDiscontinuous: Bool,
        rate: Double = 1
    ) {
        self.format = format
        self.block = block
        self.time = time
        self.isDiscontinuous = isDiscontinuous
        self.rate = rate
    }

    /// How much of the timeline the samples are.
    package var length: MediaTime {
        .seconds(Double(block.count) / Double(format.rate) * rate)
    }
    package var end: MediaTime { time + length }
}
