// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// Where to begin reading for a picture: as close before it as can be hoped for, then ever earlier. Pure.
struct EntrySearch {
    enum Entry: Hashable {
        /// To the random access point at or before a time, by the demuxer's own means. In ticks of the stream.
        case time(Int64)
        /// To a boundary of the plan.
        case boundary(Int)
        case start
    }

    /// How often a place before another is tried before reading begins at the start.
    private static let attemptLimit = 10
    /// How often reading begins at the start. These attempts are counted separately, because a time far past the end
    /// may use up all the others.
    private static let startLimit = 10

    private let timeBase: TimeBase
    private let hasIndex: Bool
    private let earliest: Int64
    private var nextEntry: Entry?
    private var attempts = 0
    private var starts = 0
    private var last: Entry?

    /// - Parameters:
    ///   - first: where to try first.
    ///   - earliest: in ticks of `timeBase`. Instead of at this time or before it, reading begins at the start.
    ///   - hasIndex: whether the demuxer seeks to a random access point exactly.
    init(first: Entry, earliest: Int64, timeBase: TimeBase, hasIndex: Bool) {
        nextEntry = first
        self.earliest = earliest
        self.timeBase = timeBase
        self.hasIndex = hasIndex
    }

    init(target: Int64, facts: FilmFacts, plan: SegmentPlan?) {
        let earliest = facts.origin.ticks(in: facts.stream.timeBase)
        let first: Entry
        if let plan, facts.container.canStartAnywhere, let index = plan.segment(at: target),
            plan.isComplete || index + 1 < plan.segmentCount || facts.timing != .shown
        {
            first = .boundary(index)
        } else if case .counted = facts.timing {
            first = .start
        } else if facts.hasIndex {
            first = .time(target)
        } else {
            // Demuxers without an index go to some packet near a time.
            let lead = MediaTime.seconds(2).ticks(in: facts.stream.timeBase)
            first = target &- lead > earliest ? .time(target &- lead) : .start
        }
        self.init(first: first, earliest: earliest, timeBase: facts.stream.timeBase, hasIndex: facts.hasIndex)
    }

    /// Where to try next. `nil` when nothing is left.
    mutating func next() -> Entry? {
        last = nextEntry
        nextEntry = nil
        if last == .start { starts += 1 } else { attempts += 1 }
        // A place that cannot be gone to counts as one that led nowhere.
        if let last, last != .start { nextEntry = earlier(than: last, seen: nil) }
        return last
    }

    /// What was read from the last place did not lead to the picture.
    mutating func failed(_ run: PictureRun) {
        guard let last else { return }
        if last == .start {
            // The same once more, from the random access point before the one that was of no use.
            if run.key != nil, starts < Self.startLimit { nextEntry = .start }
            return
        }
        // A random access point that was found, but not early enough, is what to get before.
        let seen = run.key ?? run.nextKey
        nextEntry = earlier(than: last, seen: seen.map { min($0.packet.dts ?? $0.time, $0.time) })
    }

    private func earlier(than entry: Entry, seen: Int64?) -> Entry? {
        guard attempts < Self.attemptLimit else { return .start }
        switch entry {
        case .start: return nil
        case .boundary(let index): return index > 0 ? .boundary(max(0, index - (1 << (attempts - 1)))) : .start
        case .time(let time):
            let step = MediaTime.seconds(Double(1 << (2 * (attempts - 1)))).ticks(in: timeBase)
            let earlier = hasIndex && seen != nil ? min(time, seen ?? time) &- 1 : time &- step
            return earlier > earliest ? .time(earlier) : .start
        }
    }
}
