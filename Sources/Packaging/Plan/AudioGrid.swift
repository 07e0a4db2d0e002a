// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Converts a container's timestamps for an audio track to exact sample times.
///
/// Containers round timestamps: to a millisecond in Matroska, to 1/90000 s in MPEG-TS. Frames of constant length lie on
/// a grid that starts at the first frame. A time within the container's rounding error of a grid line is snapped to
/// that line. A time farther off (a gap, a drifting clock) is left unchanged. The result does not depend on what was
/// read before, so a frame gets the same time wherever reading started.
package struct AudioGrid: Hashable, Sendable {
    private let source: TimeBase
    private let rate: TimeBase
    /// In ticks of `source`.
    private let origin: Int64
    /// The start of the first frame, in samples from the start of the timeline.
    private let first: Int64
    /// The largest distance from a grid line at which a time is snapped to it, in samples.
    private let tolerance: Int64
    /// Samples per frame, if constant.
    package let frameLength: Int64?
    /// Whether no frame starts before `first`.
    private let isBounded: Bool

    /// - Parameters:
    ///   - source: the container's time base.
    ///   - sampleRate: samples per second, which are the ticks of the result.
    ///   - origin: where the session's timeline starts, in ticks of the source.
    ///   - firstTime: the time of the track's first packet, in ticks of the source.
    ///   - isBounded: whether that packet is also the first one of the timeline. In a sliding playlist it is not,
    ///     because reading begins near the end.
    package init(
        source: TimeBase,
        sampleRate: Int64,
        origin: Int64,
        firstTime: Int64,
        frameLength: Int64?,
        isBounded: Bool = true
    ) {
        self.source = source
        rate = .hertz(sampleRate)
        self.origin = origin
        self.frameLength = frameLength.flatMap { $0 > 0 ? $0 : nil }
        self.isBounded = isBounded
        first = source.rescale(firstTime - origin, to: rate)
        tolerance = max(source.rescale(2, to: rate, rounding: .up), sampleRate / 1000) + 1
    }

    /// The number of samples from the start of the timeline to the packet at `time`.
    package func samples(at time: Int64) -> Int64 {
        let raw = source.rescale(time &- origin, to: rate)
        guard let frameLength else { return raw }
        let line = first + roundedDivide(raw - first, frameLength) * frameLength
        return abs(line - raw) <= tolerance ? line : raw
    }

    /// The samples of a frame that the container states to be shorter than the others. `nil` without a constant frame
    /// length.
    ///
    /// - Parameter ticks: by how many ticks of the source it is shorter. Not positive for any other frame.
    package func length(ofFrameShorterBy ticks: Int64) -> Int64? {
        guard let frameLength, ticks > 0 else { return frameLength }
        let missing = source.rescale(ticks, to: rate)
        return missing > tolerance && missing < frameLength ? frameLength - missing : frameLength
    }

    /// The start of the first frame on the grid that does not start before `sample`. Without a constant frame length,
    /// a frame may start at any sample.
    package func frameStart(atOrAfter sample: Int64) -> Int64 {
        guard let frameLength else { return isBounded ? max(first, sample) : sample }
        guard sample > first else {
            // Division rounds towards zero. `sample - first` is not positive here, so this rounds up.
            return isBounded ? first : first + (sample - first) / frameLength * frameLength
        }
        return first + (sample - first + frameLength - 1) / frameLength * frameLength
    }
}

private func roundedDivide(_ dividend: Int64, _ divisor: Int64) -> Int64 {
    let shifted = 2 * dividend + divisor
    let (quotient, remainder) = shifted.quotientAndRemainder(dividingBy: 2 * divisor)
    return remainder < 0 ? quotient - 1 : quotient
}
