// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// The most bits that the pictures of one segment may take, for encoders without a model of the decoder's buffer: their
/// quality is constant, and a segment that is too large is encoded again with a lower one. Pure.
struct PictureBudget: Hashable {
    /// The limit: the size of the decoder's buffer, and what it receives while the segment is shown.
    let bits: Int
    private let worst: Int

    /// The difference between two qualities whose sizes differ by a factor of about 2.
    private static let step = 8

    /// - Parameters:
    ///   - times: of the segment's pictures, ascending, in ticks of the track.
    /// - Returns: `nil` if the encoder has such a model.
    init?(_ plan: VideoBridgePlan, times: [Int64]) {
        guard !plan.encoder.library.hasBufferModel else { return nil }
        let span = Double((times.last ?? 0) &- (times.first ?? 0)) / Double(plan.timescale)
        let control = plan.encoder.rateControl
        self.init(
            bufferSize: control.bufferSize,
            bitRate: control.maximumBitRate,
            seconds: span + plan.frameDuration.seconds,
            worst: plan.codec.qualities.upperBound
        )
    }

    init(bufferSize: Int, bitRate: Int, seconds: Double, worst: Int) {
        // The times of a damaged file may have any value.
        bits = bufferSize + Int(min(max(0, Double(bitRate) * seconds), 1e15))
        self.worst = worst
    }

    /// The quality with which to encode the segment again. `nil` if its pictures fit, or cannot be made smaller.
    ///
    /// - Parameters:
    ///   - quality: with which `done` of the segment's `count` pictures took `used` bits.
    func lowerQuality(than quality: Int, used: Int, done: Int, of count: Int) -> Int? {
        guard used > bits, done > 0, quality < worst else { return nil }
        let expected = used / done * count
        var steps = 1
        while bits << steps < expected, steps < 16 { steps += 1 }
        return min(worst, quality + steps * Self.step)
    }
}
