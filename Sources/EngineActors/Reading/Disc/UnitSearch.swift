// SPDX-License-Identifier: Apache-2.0

internal import Packaging

/// Finds the last unit at or before a time in a part, among those at which decoding can begin. Pure.
///
/// When a unit begins is known only once it has been read, so the search asks for several units at a time, which a server
/// sends in one round trip.
struct UnitSearch {
    /// A unit whose time is known, or the end of the part.
    struct Bound: Hashable, Sendable {
        var unit: Int
        let time: Int64
        /// The offset of its picture in the title.
        let position: Int64
    }

    /// A unit that is tried. If it has no entry, it continues an earlier one, which is searched for.
    private struct Trial {
        let unit: Int
        /// The unit to read next.
        var next: Int
        /// From here on, no unit up to `unit` has an entry.
        var empty: Int
        /// How far the search steps back if the disc does not state where the last unit with video is.
        var step = 1

        init(_ unit: Int) { (self.unit, next, empty) = (unit, unit, unit + 1) }
    }

    /// The number of units that are tried at a time.
    private static let trialCount = 5
    /// The maximum number of units that are read. Afterwards, decoding begins earlier than necessary.
    private static let readLimit = 40

    private let time: Int64
    /// The best unit so far. All units up to `low.unit` that follow the one at `low.position` continue it.
    private(set) var low: Bound
    private var high: Bound
    private var trials: [Trial] = []
    private var readCount = 0

    /// - Parameters:
    ///   - low: a unit at or before the time.
    ///   - high: a unit after the time.
    init(_ time: Int64, after low: Bound, before high: Bound) {
        (self.time, self.low, self.high) = (time, low, high)
    }

    /// The units to read next, the most promising one first. Empty if the search is over.
    mutating func next() -> [Int] {
        trials = trials.filter(isOpen)
        if trials.isEmpty { trials = guesses.map { Trial($0) } }
        var units: [Int] = []
        for trial in trials where !units.contains(trial.next) { units.append(trial.next) }
        return Array(units.prefix(max(0, Self.readLimit - readCount)))
    }

    /// Whether one of these units still has to be read once those before it have been added.
    func needs(_ unit: Int) -> Bool { trials.contains { $0.next == unit && isOpen($0) } }

    private func isOpen(_ trial: Trial) -> Bool { low.unit < trial.next && trial.unit < high.unit }

    mutating func add(_ content: UnitMap.Content, of unit: Int) {
        readCount += 1
        for place in trials.indices where trials[place].next == unit && isOpen(trials[place]) {
            let trial = trials[place]
            switch content {
            case .entry(let entry) where entry.time <= time:
                let last = trial.empty <= unit + 1 ? trial.unit : unit
                low = Bound(unit: last, time: entry.time, position: entry.position)
            case .entry(let entry): high = Bound(unit: unit, time: entry.time, position: entry.position)
            case .nothing(let video?): (trials[place].next, trials[place].empty) = (video, video + 1)
            case .nothing, .lost, .foreign:
                (trials[place].next, trials[place].empty) = (unit - trial.step, unit)
                trials[place].step *= 2
            }
        }
        for place in trials.indices where (low.unit + 1..<high.unit).contains(trials[place].unit) { settle(place) }
    }

    /// Lets a trial that has reached `low` continue between `low` and the units that are known to have no entry.
    private mutating func settle(_ place: Int) {
        let trial = trials[place]
        if trial.empty <= low.unit + 1 {
            low.unit = trial.unit
        } else if trial.next <= low.unit {
            trials[place].next = (low.unit + trial.empty) / 2
        }
    }

    /// The unit that would contain the time if all units were equally long; two units around it, at the typical error
    /// of that estimate if lengths vary at random; and the middles of the remaining ranges, for larger errors. If there
    /// are few units, all of them.
    private var guesses: [Int] {
        let units = low.unit + 1..<max(low.unit + 1, high.unit)
        let share = Double(time - low.time) / Double(max(1, high.time - low.time))
        let guess = low.unit + Int(min(max(share, 0), 1) * Double(units.count + 1))
        guard units.count > Self.trialCount else { return units.sorted { abs($0 - guess) < abs($1 - guess) } }
        let error = max(1, Int(Double(units.count).squareRoot() / 2))
        let (below, above) = (guess - error, guess + error + 1)
        var found: [Int] = []
        for unit in [guess, below, above, (low.unit + below) / 2, (above + high.unit) / 2] {
            let unit = min(max(unit, units.lowerBound), units.upperBound - 1)
            if !found.contains(unit) { found.append(unit) }
        }
        return found
    }
}
