// SPDX-License-Identifier: Apache-2.0

/// How many samples a device has played, from what it says now and then.
///
/// A device never plays faster than time passes, but for what its crystal is off. One that says so for a second keeps no time,
/// as alsa-lib's `null` and what is built on it: then the monotonic clock says what is heard.
struct AlsaClock: Sendable {
    /// How much faster than its name a crystal may be; far more than one ever is.
    private static let leeway = 1.02
    /// What a device may be ahead of time when it begins, in seconds, since it is asked at no certain moment.
    private static let lead = 0.03
    /// What it may be ahead at any time: some say for a moment that all they have was heard.
    private static let slack = 0.1
    /// In nanoseconds.
    private static let patience: Int64 = 1_000_000_000

    /// Samples a second.
    let rate: Double
    private(set) var keepsTime = true
    /// How many had been heard at `moment`.
    private var heard = 0.0
    private var moment: Int64 = 0
    /// What the device has begun to play, so that more cannot be heard.
    private var limit = 0.0
    /// Since when it plays, and what had been heard then.
    private var start: (moment: Int64, heard: Double)?
    /// Since when it has been ahead of time.
    private var doubtful: Int64?

    init(rate: Int, keepsTime: Bool = true) {
        self.rate = Double(rate)
        self.keepsTime = keepsTime
    }

    var isMoving: Bool { start != nil }

    /// The device begins to play, or goes on.
    mutating func begin(at now: Int64) {
        guard start == nil else { return }
        moment = now
        start = (now, heard)
        doubtful = nil
    }

    /// The device stands where it is.
    mutating func stop(at now: Int64) {
        heard = exact(at: now)
        moment = now
        start = nil
    }

    /// The device has played `place` samples at `now`, as far as it knows, and has begun to play those before `limit`.
    mutating func observe(_ place: Int64, of limit: Int64, at now: Int64) {
        guard let start else { return }
        let passed = Double(max(0, now - start.moment)) / 1_000_000_000 * rate
        let isAhead = Double(place) > start.heard + passed * Self.leeway + Self.slack * rate
        doubtful = isAhead ? doubtful ?? now : nil
        if let doubtful, now - doubtful > Self.patience { keepsTime = false }
        let possible =
            keepsTime ? min(Double(place), start.heard + passed * Self.leeway + Self.lead * rate) : exact(at: now)
        self.limit = Double(limit)
        heard = max(heard, min(possible, self.limit))
        moment = now
    }

    /// How many were heard at `now`.
    func heard(at now: Int64) -> Int64 { Int64(exact(at: now)) }

    private func exact(at now: Int64) -> Double {
        guard start != nil else { return heard }
        return max(heard, min(heard + Double(max(0, now - moment)) / 1_000_000_000 * rate, limit))
    }
}
