// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Turns the container's times of an audio track into exact sample times.
///
/// A container rounds: to a millisecond in Matroska, to 1/90000 s in MPEG-TS. Frames of constant length lie on a grid of
/// their own, counted from the first; a time within the container's error of a grid line means that line. A time farther
/// off (a gap, a drifting clock) is taken as it is. Nothing here depends on what was read before, so a frame gets the
/// same time wherever reading started.
package struct AudioGrid: Hashable, Sendable {
    private let source: TimeBase
    private let rate: TimeBase
    private let origin: Int64
    private let first: Int64
    private let tolerance: Int64
    /// Samples a frame, when it is constant.
    package let frameLength: Int64?

    /// - Parameters:
    ///   - source: the container's ticks.
    ///   - sampleRate: ticks a second of the result.
    ///   - origin: where the session's timeline starts, in ticks of the source.
    ///   - firstTime: time of the track's first packet, in ticks of the source.
    package init(source: TimeBase, sampleRate: Int64, origin: Int64, firstTime: Int64, frameLength: Int64?) {
        self.source = source
        rate = .hertz(sampleRate)
        self.origin = origin
        self.frameLength = frameLength.flatMap { $0 > 0 ? $0 : nil }
        first = source.rescale(firstTime - origin, to: rate)
        tolerance = max(source.rescale(2, to: rate, rounding: .up), sampleRate / 1000) + 1
    }

    /// Samples from the start of the timeline to the packet at `time`.
    package func samples(at time: Int64) -> Int64 {
        let raw = source.rescale(time &- origin, to: rate)
        guard let frameLength else { return raw }
        let line = first + roundedDivide(raw - first, frameLength) * frameLength
        return abs(line - raw) <= tolerance ? line : raw
    }

    /// The first frame that starts at or after `sample`, as far as the grid tells.
    package func frameStart(atOrAfter sample: Int64) -> Int64 {
        guard let frameLength else { return max(first, sample) }
        guard sample > first else { return first }
        return first + (sample - first + frameLength - 1) / frameLength * frameLength
    }
}

private func roundedDivide(_ dividend: Int64, _ divisor: Int64) -> Int64 {
    let shifted = 2 * dividend + divisor
    let (quotient, remainder) = shifted.quotientAndRemainder(dividingBy: 2 * divisor)
    return remainder < 0 ? quotient - 1 : quotient
}
