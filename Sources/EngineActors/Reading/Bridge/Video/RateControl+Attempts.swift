// SPDX-License-Identifier: Apache-2.0

internal import Bindings

extension VideoEncoder.RateControl {
    /// The rate control with which to encode a segment again, because its pictures are too large. `nil` if they are not, or
    /// cannot be made smaller.
    ///
    /// - Parameters:
    ///   - buffer: the decoder's buffer after `done` of the segment's `count` pictures.
    ///   - budget: for encoders that cannot be limited; `nil` for x264.
    func next(
        after buffer: DecoderBuffer,
        done: Int,
        of count: Int,
        within budget: PictureBudget?
    ) -> VideoEncoder.RateControl? {
        var next = self
        if let budget {
            guard let lower = budget.lowerQuality(than: quality, used: buffer.usedBits, done: done, of: count) else {
                return nil
            }
            next.quality = lower
        } else {
            guard buffer.isExceeded && !isLimited else { return nil }
            next.isLimited = true
        }
        return next
    }
}
