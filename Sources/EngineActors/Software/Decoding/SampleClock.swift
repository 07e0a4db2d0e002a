// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// Times of samples that follow each other, by their count: what containers say of single frames is rounded, and jitters. Only
/// a real gap moves them. Pure.
///
/// A frame that is off by much is behind a gap. One that is off by a little leaves in doubt whether it is: its place is held
/// back until those behind it agree, which a frame that is missing makes them do, or one of them does not.
struct SampleClock {
    /// What one frame's time is off by at most, where it stands alone.
    static let tolerance = MediaTime.seconds(0.1)
    /// Sound and pictures that are nearer than this are together.
    static let togetherness = MediaTime.seconds(0.01)
    /// So many frames in a row, and so much sound, leave no doubt.
    private static let agreement = 8
    private static let agreementLength = MediaTime.seconds(0.15)
    /// Of frames so long fewer suffice.
    private static let longest = MediaTime.seconds(1)

    struct Place: Hashable {
        let time: MediaTime
        /// Whether it does not follow the samples before.
        let isDiscontinuous: Bool
    }

    /// Frames in a row that are all off in the same direction.
    private struct Doubt {
        var counts: [Int] = []
        /// Frames that have a time.
        var timed = 0
        /// The least that any of them is off.
        var least: MediaTime

        var isLater: Bool { least > .zero }
    }

    private var anchor: MediaTime?
    private var count: Int64 = 0
    private var rate = 0
    private var doubt: Doubt?

    /// Takes the next samples and says where they are heard, or nothing while that is in doubt; with them come those that were in
    /// doubt before, in their order.
    ///
    /// - Parameters:
    ///   - time: as the source says, if it does.
    ///   - rate: samples a second.
    mutating func place(_ samples: Int, rate newRate: Int, at time: MediaTime?) -> [Place] {
        guard newRate == rate, let expected = expectedTime else {
            return finish() + [begin(samples, rate: newRate, at: time)]
        }
        guard let time else { return doubt == nil ? [follow(samples)] : hold(samples) }
        let deviation = time - expected
        if deviation.distance > Self.tolerance {
            return finish() + [begin(samples, rate: newRate, at: time)]
        }
        guard deviation.distance > Self.togetherness else { return finish() + [follow(samples)] }
        guard let old = doubt, old.isLater == (deviation > .zero) else {
            let certain = finish()
            doubt = Doubt(least: deviation)
            return certain + hold(samples, isTimed: true)
        }
        if deviation.distance < old.least.distance { doubt?.least = deviation }
        return hold(samples, isTimed: true)
    }

    /// Where those are that are in doubt still: they follow what is before them.
    mutating func finish() -> [Place] {
        defer { doubt = nil }
        return (doubt?.counts ?? []).map { follow($0) }
    }

    private mutating func hold(_ samples: Int, isTimed: Bool = false) -> [Place] {
        doubt?.counts.append(samples)
        if isTimed { doubt?.timed += 1 }
        guard let doubt else { return [] }
        let length = MediaTime(Int64(doubt.counts.reduce(0, +)), in: .hertz(Int64(max(1, rate))))
        let isCertain =
            doubt.timed >= Self.agreement && length >= Self.agreementLength
            || doubt.timed > 1 && length >= Self.longest
        guard isCertain else { return length < Self.longest + Self.longest ? [] : finish() }
        self.doubt = nil
        anchor = end.map { $0 + doubt.least }
        count = 0
        return doubt.counts.enumerated().map { index, samples in
            Place(time: follow(samples).time, isDiscontinuous: index == 0)
        }
    }

    private mutating func follow(_ samples: Int) -> Place {
        defer { count += Int64(samples) }
        return Place(time: end ?? .zero, isDiscontinuous: false)
    }

    /// Begins to count anew: where the source says, if that is off by much, else behind the samples before.
    private mutating func begin(_ samples: Int, rate newRate: Int, at time: MediaTime?) -> Place {
        let expected = end
        let isGap = if let time, let expected { (time - expected).distance > Self.tolerance } else { expected == nil }
        anchor = isGap ? time ?? .zero : expected
        count = 0
        rate = newRate
        return Place(time: follow(samples).time, isDiscontinuous: isGap)
    }

    /// Where the next samples are heard, but for those in doubt.
    private var end: MediaTime? {
        anchor.map { $0 + MediaTime(count, in: .hertz(Int64(max(1, rate)))) }
    }

    /// Where the next samples are heard if there is no gap.
    private var expectedTime: MediaTime? {
        let held = doubt?.counts.reduce(0, +) ?? 0
        return anchor.map { $0 + MediaTime(count + Int64(held), in: .hertz(Int64(max(1, rate)))) }
    }
}

extension MediaTime {
    fileprivate var distance: MediaTime { self < .zero ? .zero - self : self }
}
