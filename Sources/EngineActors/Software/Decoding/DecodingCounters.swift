// SPDX-License-Identifier: Apache-2.0

/// What a decoder has come across since it was made.
package struct DecodingCounters: Hashable, Sendable {
    /// Pictures, or frames of sound, that came out.
    package var frames: UInt64 = 0
    /// Of those, how many may not be whole.
    package var damaged: UInt64 = 0
    /// Packets that could not be decoded, wholly or in part.
    package var errors: UInt64 = 0
    /// Times that sound went on elsewhere than where the samples before it ended.
    package var gaps: UInt64 = 0

    /// Captions that pictures carried, as INSTREAM-ID names them.
    package var captionChannels: Set<String> = []

    /// How long the decoder was at it.
    package var nanoseconds: UInt64 = 0

    package init() {}

    /// The sum of both.
    func adding(_ other: DecodingCounters?) -> DecodingCounters {
        guard let other else { return self }
        var sum = self
        sum.frames += other.frames
        sum.damaged += other.damaged
        sum.errors += other.errors
        sum.gaps += other.gaps
        sum.captionChannels.formUnion(other.captionChannels)
        sum.nanoseconds += other.nanoseconds
        return sum
    }
}
