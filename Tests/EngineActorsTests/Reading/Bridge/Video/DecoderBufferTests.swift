// SPDX-License-Identifier: Apache-2.0

import Bindings
import Testing

@testable import Reading

@Suite("The decoder's buffer")
struct DecoderBufferTests {
    /// A buffer of 1000 bits, of which 900 have arrived when the first picture is decoded. 100 more arrive in each
    /// tick.
    private func buffer(_ pictures: (bits: Int, time: Int64)...) -> DecoderBuffer {
        var buffer = DecoderBuffer(size: 1000, bitRate: 1000, timescale: 10)
        for picture in pictures { buffer.take(bits: picture.bits, at: picture.time) }
        return buffer
    }

    @Test("pictures that arrive in time fit, at each limit")
    func limits() {
        #expect(!buffer().isExceeded && !buffer((900, 0)).isExceeded && buffer((901, 0)).isExceeded)
        #expect(!buffer((900, 0), (100, 1), (100, 2)).isExceeded && buffer((900, 0), (100, 1), (101, 2)).isExceeded)
        #expect(buffer((900, 0), (100, 1)).usedBits == 1000)
    }

    @Test("no more arrives than the buffer holds")
    func full() {
        #expect(!buffer((0, 0), (1000, 100)).isExceeded && buffer((0, 0), (1001, 100)).isExceeded)
    }

    @Test("once a picture was late, the segment is too large")
    func late() {
        #expect(buffer((901, 0), (0, 1000)).isExceeded)
    }

    @Test("no bits arrive when times go back, and extreme times do not overflow")
    func damaged() {
        #expect(buffer((900, 5), (1, 3)).isExceeded)
        #expect(!buffer((900, 5), (0, 3), (100, 6)).isExceeded && buffer((900, 5), (0, 3), (101, 6)).isExceeded)
        #expect(!buffer((900, .min), (1000, .max)).isExceeded && buffer((900, .max), (1, .min)).isExceeded)
    }

    @Test("x264 is limited from the second attempt on, and only if pictures are late")
    func limited() {
        let control = VideoEncoder.RateControl(quality: 20, maximumBitRate: 1000, bufferSize: 1000, level: 30)
        #expect(control.next(after: buffer((900, 0)), done: 1, of: 9, within: nil) == nil)
        let next = control.next(after: buffer((901, 0)), done: 1, of: 9, within: nil)
        #expect(next?.isLimited == true && next?.quality == 20)
        #expect(next?.next(after: buffer((901, 0)), done: 1, of: 9, within: nil) == nil)
    }

    @Test("the quality of the other encoders is lowered, but only if the segment exceeds its budget")
    func lowered() {
        let budget = PictureBudget(bufferSize: 1000, bitRate: 1000, seconds: 1, worst: 63)
        let control = VideoEncoder.RateControl(quality: 26, maximumBitRate: 1000, bufferSize: 1000, level: 30)
        #expect(control.next(after: buffer((2000, 0)), done: 1, of: 1, within: budget) == nil)
        let next = control.next(after: buffer((2001, 0)), done: 1, of: 1, within: budget)
        #expect(next?.isLimited == false && next?.quality == 34)
    }
}
