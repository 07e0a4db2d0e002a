// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
package import Packaging

/// Decides where to begin reading for a picture: first as close before it as is likely to work, then at earlier and
/// earlier entries. Pure.
package struct EntrySearch {
    package enum Entry: Hashable {
        /// Let the demuxer seek to the random access point at or before a time, in ticks of the stream.
        case time(Int64)
        /// Seek to a boundary of the plan.
        case boundary(Int)
        case start
    }

    /// The number of entries other than the start that are tried before reading begins at the start.
    private static let attemptLimit = 10
    /// The number of times reading begins at the start. These attempts are counted separately, because a time far past
    /// the end may use up all the others.
    private static let startLimit = 10

    private let timeBase: TimeBase
    private let hasIndex: Bool
    private let earliest: Int64
    private let statedEnd: Int64?
    private var nextEntry: Entry?
    private var attempts = 0
    private var starts = 0
    private var last: Entry?

    /// - Parameters:
    ///   - first: the entry to try first.
    ///   - earliest: where the timeline starts, in ticks of `timeBase`. The start replaces every entry at or before
    ///     this time.
    ///   - statedEnd: see `DecodingFacts.statedEnd`.
    ///   - hasIndex: whether the demuxer can seek exactly to a random access point.
    package init(
        first: Entry,
        earliest: Int64,
        statedEnd: Int64?,
        timeBase: TimeBase,
        hasIndex: Bool
    ) {
        nextEntry = first
        self.earliest = earliest
        self.statedEnd = statedEnd
        self.timeBase = timeBase
        self.hasIndex = hasIndex
    }

    /// - Parameter target: the time of the picture, in ticks of the stream.
    package init(target: Int64, facts: DecodingFacts, plan: SegmentPlan?) {
        let earliest = facts.origin.ticks(in: facts.stream.timeBase)
        // If the plan comes from a scan, the map was wrong and is not used.
        let hasMap = facts.hasMap && plan?.origin != .scan
        let hasIndex = facts.hasIndex || hasMap
        let first: Entry
        if !hasMap, let plan, facts.container.canStartAnywhere || !plan.jumps.isEmpty,
            let index = plan.segment(at: target),
            plan.isComplete || index + 1 < plan.segmentCount || facts.timing != .shown
        {
            first = .boundary(index)
        } else if case .counted = facts.timing {
            first = .start
        } else if hasIndex {
            first = .time(target)
        } else {
            // Demuxers without an index seek to some packet near a time.
            let lead = MediaTime.seconds(2).ticks(in: facts.stream.timeBase)
            first = target &- lead > earliest ? .time(target &- lead) : .start
        }
        self.init(
            first: first,
            earliest: earliest,
            statedEnd: facts.statedEnd,
            timeBase: facts.stream.timeBase,
            hasIndex: hasIndex
        )
    }

    /// Returns the next entry to try. `nil` when none is left.
    package mutating func next() -> Entry? {
        last = nextEntry
        nextEntry = nil
        if last == .start { starts += 1 } else { attempts += 1 }
        // If the caller cannot reach this entry, it does not call `failed`: prepare an earlier one.
        if let last, last != .start { nextEntry = earlier(than: last, seen: nil) }
        return last
    }

    /// Call this when the packets read from the last entry did not lead to the picture.
    package mutating func failed(_ run: PictureRun) {
        guard let last else { return }
        if last == .start {
            // Begin at the start again, but decode from the random access point before the one that failed.
            if run.key != nil, starts < Self.startLimit { nextEntry = .start }
            return
        }
        // If a random access point was found, but not early enough, the next entry must lie before it.
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
            var earlier = hasIndex && seen != nil ? min(time, seen ?? time) &- 1 : time &- step
            // From a time far past the end, no step would lead back to the media. The first entry does not depend on
            // the stated end, which may be wrong.
            if !hasIndex, let statedEnd { earlier = min(earlier, max(statedEnd &- step, earliest)) }
            return earlier > earliest ? .time(earlier) : .start
        }
    }
}

/// How reading begins at an entry.
package struct Entrance: Hashable, Sendable {
    /// The time of the first packet, which matters only if packets are counted.
    package let time: Int64
    /// Whether the first packet begins a picture: it cannot be the rest of one.
    package let isAtPicture: Bool
}

extension EntrySearch.Entry {
    /// Moves the read position of a reader to the entry.
    ///
    /// - Parameters:
    ///   - streams: the streams to read when reading begins at the start again. Otherwise the selection does not
    ///     change.
    ///   - plan: where the source can be entered, if known. If reading begins at a byte of the source, packets are put
    ///     on its clock.
    /// - Returns: `nil` when the demuxer cannot reach the entry.
    package func enter(
        _ reader: SourceReader,
        _ facts: DecodingFacts,
        _ plan: SegmentPlan?,
        streams: Set<Int>
    ) throws(EngineError) -> Entrance? {
        if self == .start {
            try reader.goToStart(of: streams)
            if let plan, facts.container.canStartAnywhere || !plan.jumps.isEmpty { reader.follow(plan) }
            return Entrance(time: 0, isAtPicture: true)
        }
        do throws(FFmpegError) {
            return try seek(reader, facts, plan)
        } catch {
            try error.mustBeBad("seeking in \(reader.file.path)")
            return nil
        }
    }

    private func seek(
        _ reader: SourceReader,
        _ facts: DecodingFacts,
        _ plan: SegmentPlan?
    ) throws(FFmpegError) -> Entrance? {
        switch self {
        case .start: return nil
        case .boundary(let index):
            guard let plan, index < plan.boundaries.count else { return nil }
            let boundary = plan.boundaries[index]
            reader.follow(plan)
            try reader.seek(to: boundary, lead: facts.stream.index)
            return Entrance(time: boundary.time, isAtPicture: false)
        case .time(let time):
            // In Matroska without Cues, a scan may have found where to enter.
            if let plan, plan.origin != .index, let index = plan.segment(at: time) {
                reader.note(plan.boundaries[index], of: facts.stream.index)
            }
            let isAtPicture = try reader.seek(stream: facts.stream.index, atOrBefore: time, knowing: plan)
            return Entrance(time: 0, isAtPicture: isAtPicture)
        }
    }
}
