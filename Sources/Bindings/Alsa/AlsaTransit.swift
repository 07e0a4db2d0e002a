// SPDX-License-Identifier: Apache-2.0

/// What lies between whoever gives samples and the thread that has the device.
struct AlsaTransit: Sendable {
    /// What the device is to do.
    struct Orders: Sendable {
        /// Counts flushes.
        var epoch: UInt64 = 0
        var wantsToPlay = false
        /// No more samples follow.
        var isEnding = false
        var isClosed = false
        /// What the first samples since the flush want; `nil` while there are none.
        var mode: AlsaMode?
        var rate = 48_000
    }

    var orders = Orders()
    var queue = AlsaQueue()
    var clock = AlsaClock(rate: 48_000)
    /// How many samples may be given and not heard.
    var capacity = 0
    /// The last flush that the device has carried out.
    var flushed: UInt64 = 0
    /// Why the device is gone.
    var failure: AlsaError?
    var hasEnded = false
    /// How often the device ran dry while more was to come.
    var underruns = 0

    var format: AudioFormat? { orders.mode?.format(rate: orders.rate) }

    func unheard(at now: Int64) -> Int64 { queue.given - clock.heard(at: now) }

    /// Fixes what the device is set up for until the next flush.
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
