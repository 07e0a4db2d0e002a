// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import EngineModel

/// Decoded samples at their position on the session's timeline.
package struct TimedAudio: Sendable {
    package let format: AudioFormat
    package let block: SampleBlock
    /// The position of the first sample on the timeline.
    package let time: MediaTime
    /// Whether the samples do not directly follow the previous ones on the timeline: the first after a seek, or after a
    /// real gap in the source.
    package let isDiscontinuous: Bool
    /// Seconds of the timeline per second of these samples.
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

    /// The length of the samples on the timeline.
    package var length: MediaTime {
        .seconds(Double(block.count) / Double(format.rate) * rate)
    }
    package var end: MediaTime { time + length }

    /// The same samples, later by `delay`.
    package func delayed(by delay: MediaTime) -> TimedAudio {
        TimedAudio(format: format, block: block, time: time + delay, isDiscontinuous: isDiscontinuous, rate: rate)
    }
}
