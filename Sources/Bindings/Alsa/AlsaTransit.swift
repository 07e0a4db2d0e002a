// SPDX-License-Identifier: Apache-2.0

/// The state shared by the callers of a stream and the thread that owns the device.
struct AlsaTransit: Sendable {
    /// The requested actions of the device.
    struct Orders: Sendable {
        /// The number of flushes so far.
        var epoch: UInt64 = 0
        var wantsToPlay = false
        /// No more samples follow.
        var isEnding = false
        var isClosed = false
        /// The mode for the samples since the last flush; `nil` until the format was requested.
        var mode: AlsaMode?
        var rate = 48_000
    }

    var orders = Orders()
    var queue = AlsaQueue()
    var clock = AlsaClock(rate: 48_000)
    /// The number of samples that may be queued without having been heard.
    var capacity = 0
    /// The last flush that the device has carried out.
    var flushed: UInt64 = 0
    /// The reason why the device is gone; `nil` while it works.
    var failure: AlsaError?
    /// Whether the thread has stopped serving the device.
    var hasEnded = false
    /// The number of underruns of the device while more samples were expected.
    var underruns = 0

    var format: AudioFormat? { orders.mode?.format(rate: orders.rate) }

    func unheard(at now: Int64) -> Int64 { queue.given - clock.heard(at: now) }

    /// Fixes the device's mode and rate until the next flush.
    mutating func choose(_ mode: AlsaMode, rate: Int) {
        orders.mode = mode
        orders.rate = rate
        clock = AlsaClock(rate: rate, keepsTime: clock.keepsTime)
        capacity = rate / 5
    }

    mutating func flush() {
        orders.epoch += 1
        orders.isEnding = false
        orders.mode = nil
        queue = AlsaQueue()
        clock = AlsaClock(rate: orders.rate, keepsTime: clock.keepsTime)
    }
}
