// SPDX-License-Identifier: Apache-2.0

/// Estimates how many samples a device has played, from its reported positions.
///
/// A device never plays faster than real time, apart from the error of its crystal. A device whose reports are ahead of
/// real time for longer than a second does not keep time (alsa-lib's `null`, and devices built on it); from then on the
/// monotonic clock provides the position.
struct AlsaClock: Sendable {
    /// The fastest a device may play, relative to its nominal rate. No real crystal is nearly this far off.
    private static let leeway = 1.02
    /// How far the samples heard may be ahead of the time since `begin`, in seconds: `begin` is called slightly after
    /// the device has started.
    private static let lead = 0.03
    /// The lead over real time that the device's reports may have at any time, in seconds: some devices briefly report
    /// all their queued samples as played.
    private static let slack = 0.1
    /// How long a device may stay ahead of real time, in nanoseconds.
    private static let patience: Int64 = 1_000_000_000

    /// Samples per second.
    let rate: Double
    private(set) var keepsTime = true
    /// The number of samples heard at `moment`.
    private var heard = 0.0
    private var moment: Int64 = 0
    /// The number of samples written to the device, which limits how many can have been heard.
    private var limit = 0.0
    /// When playback last started or resumed, and the number of samples heard at that moment; `nil` while stopped.
    private var start: (moment: Int64, heard: Double)?
    /// When the device was first found ahead of real time; `nil` while it is not ahead.
    private var aheadSince: Int64?

    init(rate: Int, keepsTime: Bool = true) {
        self.rate = Double(rate)
        self.keepsTime = keepsTime
    }

    var isMoving: Bool { start != nil }

    /// Records that the device has started or resumed playback.
    mutating func begin(at now: Int64) {
        guard start == nil else { return }
        moment = now
        start = (now, heard)
        aheadSince = nil
    }

    /// Records that the device has stopped or paused.
    mutating func stop(at now: Int64) {
        heard = exact(at: now)
        moment = now
        start = nil
    }

    /// Records the device's own report: at `now` it had played `place` of the `limit` samples written to it. Ignored
    /// while stopped.
    mutating func observe(_ place: Int64, of limit: Int64, at now: Int64) {
        guard let start else { return }
        let passed = Double(max(0, now - start.moment)) / 1_000_000_000 * rate
        let isAhead = Double(place) > start.heard + passed * Self.leeway + Self.slack * rate
        aheadSince = isAhead ? aheadSince ?? now : nil
        if let aheadSince, now - aheadSince > Self.patience { keepsTime = false }
        let possible =
            keepsTime ? min(Double(place), start.heard + passed * Self.leeway + Self.lead * rate) : exact(at: now)
        self.limit = Double(limit)
        heard = max(heard, min(possible, self.limit))
        moment = now
    }

    /// The number of samples heard at `now`.
    func heard(at now: Int64) -> Int64 { Int64(exact(at: now)) }

    private func exact(at now: Int64) -> Double {
        guard start != nil else { return heard }
        return max(heard, min(heard + Double(max(0, now - moment)) / 1_000_000_000 * rate, limit))
    }
}
