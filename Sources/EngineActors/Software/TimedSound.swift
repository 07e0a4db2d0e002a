// SPDX-License-Identifier: Apache-2.0

package import Bindings
package import EngineModel

/// Decoded samples at their place on the session's timeline.
package struct TimedSound: Sendable {
    package let format: AudioFormat
    package let block: SampleBlock
    /// When the first sample is heard at rate 1.
    package let time: MediaTime
    /// Whether it does not follow the samples before it: the first after a seek, or after a real gap of the source.
    package let isDiscontinuous: Bool

    package init(format: AudioFormat, block: SampleBlock, time: MediaTime, isDiscontinuous: Bool) {
        self.format = format
        self.block = block
        self.time = time
        self.isDiscontinuous = isDiscontinuous
    }
}
