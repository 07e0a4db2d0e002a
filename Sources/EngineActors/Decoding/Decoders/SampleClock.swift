// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// Computes the times of consecutive samples by counting samples, because the timestamps that containers give to audio
/// frames are rounded and jitter. Only a real gap moves the times. Pure.
///
/// A frame whose timestamp is far off follows a gap. A frame whose timestamp is slightly off is in doubt: it is held
/// back until enough later frames are off in the same direction, which confirms a gap, or until a later frame is not.
package struct SampleClock {
    /// A frame that is off by more than this follows a gap, whatever comes after it.
    static let tolerance = MediaTime.seconds(0.1)
    /// Audio and video closer than this are perceived as in sync, so smaller deviations are ignored.
    static let syncTolerance = MediaTime.seconds(0.01)
    /// This many deviating frames in a row, together at least this long, confirm a gap.
    private static let agreement = 8
    private static let agreementLength = MediaTime.seconds(0.15)
    /// Once the frames in doubt last this long in total, two of them with a timestamp confirm a gap.
    private static let longest = MediaTime.seconds(1)

    package struct Place: Hashable {
        let time: MediaTime
        /// Whether the samples do not directly follow the samples before them.
        let isDiscontinuous: Bool
    }

    /// Frames in a row that are all off in the same direction.
    private struct UncertainFrames {
        var counts: [Int] = []
        /// Number of frames that have a timestamp.
        var timed = 0
        /// The smallest deviation among them.
        var least: MediaTime

        var isLater: Bool { least > .zero }
    }

    private var anchor: MediaTime?
    private var count: Int64 = 0
    private var rate = 0
    private var uncertain: UncertainFrames?

    /// Takes the next samples and returns their place, or nothing while the place is in doubt. Earlier samples that are
    /// no longer in doubt come first, in order.
    ///
    /// - Parameters:
    ///   - time: the time that the source gives; `nil` if it gives none.
    ///   - rate: samples per second.
    mutating func place(_ samples: Int, rate newRate: Int, at time: MediaTime?) -> [Place] {
        guard newRate == rate, let expected = expectedTime else {
            return finish() + [begin(samples, rate: newRate, at: time)]
        }
        guard let time else { return uncertain == nil ? [follow(samples)] : hold(samples) }
        let deviation = time - expected
        if deviation.distance > Self.tolerance {
            return finish() + [begin(samples, rate: newRate, at: time)]
        }
        guard deviation.distance > Self.syncTolerance else { return finish() + [follow(samples)] }
        guard let old = uncertain, old.isLater == (deviation > .zero) else {
            let certain = finish()
            uncertain = UncertainFrames(least: deviation)
            return certain + hold(samples, isTimed: true)
        }
        if deviation.distance < old.least.distance { uncertain?.least = deviation }
        return hold(samples, isTimed: true)
    }

    /// Places the samples that are still in doubt directly after those before them.
    mutating func finish() -> [Place] {
        defer { uncertain = nil }
        return (uncertain?.counts ?? []).map { follow($0) }
    }

    private mutating func hold(_ samples: Int, isTimed: Bool = false) -> [Place] {
        uncertain?.counts.append(samples)
        if isTimed { uncertain?.timed += 1 }
        guard let uncertain else { return [] }
        let length = MediaTime(Int64(uncertain.counts.reduce(0, +)), in: .hertz(Int64(max(1, rate))))
        let isCertain =
            uncertain.timed >= Self.agreement && length >= Self.agreementLength
            || uncertain.timed > 1 && length >= Self.longest
        guard isCertain else { return length < Self.longest + Self.longest ? [] : finish() }
        self.uncertain = nil
        anchor = end.map { $0 + uncertain.least }
        count = 0
        return uncertain.counts.enumerated().map { index, samples in
            Place(time: follow(samples).time, isDiscontinuous: index == 0)
        }
    }

    private mutating func follow(_ samples: Int) -> Place {
        defer { count += Int64(samples) }
        return Place(time: end ?? .zero, isDiscontinuous: false)
    }

    /// Restarts counting: at the source's time if it is far off or no samples came before, otherwise at the end of the
    /// previous samples.
    private mutating func begin(_ samples: Int, rate newRate: Int, at time: MediaTime?) -> Place {
        let expected = end
        let isGap = if let time, let expected { (time - expected).distance > Self.tolerance } else { expected == nil }
        anchor = isGap ? time ?? .zero : expected
        count = 0
        rate = newRate
        return Place(time: follow(samples).time, isDiscontinuous: isGap)
    }

    /// The time at which the next samples are heard, not counting those in doubt.
    private var end: MediaTime? {
        anchor.map { $0 + MediaTime(count, in: .hertz(Int64(max(1, rate)))) }
    }

    /// The time at which the next samples are heard if there is no gap.
    private var expectedTime: MediaTime? {
        let held = uncertain?.counts.reduce(0, +) ?? 0
        return anchor.map { $0 + MediaTime(count + Int64(held), in: .hertz(Int64(max(1, rate)))) }
    }
}

extension MediaTime {
    fileprivate var distance: MediaTime { self < .zero ? .zero - self : self }
}
