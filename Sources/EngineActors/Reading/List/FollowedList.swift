// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Packaging

/// All loads of one media playlist, merged into one list of segments that only grows. Pure; times are nanoseconds of
/// CLOCK_MONOTONIC.
///
/// A segment keeps its index and its properties, whatever later loads state (`HLSEntryList`). In a playlist whose
/// window moves, the segments that have left the window stay in the list, without the URLs of their resources.
struct FollowedList: Sendable {
    private var entries = HLSEntryList()
    private(set) var list: SegmentList
    private var marks = ListMarks()
    /// Whether the playlist itself marks anything. If so, the messages in its segments only repeat those marks.
    private var hasMarks = false
    /// Notices about the loads so far that `takeNotices` has not returned yet.
    private var notices: [Notice] = []
    /// The segment of the entry with index 0. Above 0 if segments of an earlier process come before it.
    private var base = 0
    /// The largest number of segments in one load.
    private var largestLoad: Int
    /// The index of the first entry since the playlist began again.
    private var restart: Int64 = 0
    /// The first segment of the variant that is played now.
    private var variantStart = 0
    /// The parts of the segment after the last one. `nil` if the playlist lists none that can be used.
    private(set) var open: ListedParts?
    /// Whether the latest load listed something new, and parts of that segment.
    private(set) var hasNewParts = false

    /// - Parameters:
    ///   - list: the segments that the first load lists.
    ///   - playlist: the playlist as first loaded.
    ///   - earlier: the segments of an earlier process, which come before those of the first load.
    init(_ list: SegmentList, _ playlist: HLSMediaPlaylist, after earlier: EarlierSegments? = nil, now: Int64) {
        self.list = list
        largestLoad = list.segments.count
        _ = entries.take(playlist, now: now)
        noteParts(playlist, .added(first: 0))
        note(playlist, from: 0)
        guard let earlier else { return }
        (base, variantStart) = (earlier.count, earlier.count)
        // The earlier process has already published these notices.
        notices = []
        self.list = list.following(earlier.count, of: earlier.duration)
    }

    /// The segments that an earlier process may have announced.
    struct EarlierSegments: Sendable {
        let count: Int
        /// The assumed duration of each.
        let duration: MediaTime
    }

    /// The outcome of an attempt to continue with another variant.
    enum Join: Hashable, Sendable {
        case joined
        /// Another attempt may succeed soon (`behind`), or at a later boundary (`misaligned`).
        case behind, misaligned
        case unmatched(HLSVariantJoin.Mismatch)
    }

    /// As `SegmentList.enter`.
    mutating func enter(at index: Int) { list.enter(at: index) }

    /// Continues with the playlist of another variant. Changes nothing unless it returns `joined`.
    ///
    /// - Parameter limit: the target duration that was promised to players.
    /// - Throws: `sourceEncrypted` if its segments cannot be decrypted.
    mutating func join(
        _ playlist: HLSMediaPlaylist,
        name: String,
        limit: MediaTime,
        now: Int64
    ) throws(EngineError) -> Join {
        let first: Int64
        switch HLSVariantJoin(after: entries.current.map(\.segment), in: playlist, limit: limit) {
        case .next(let sequence): first = sequence
        case .behind: return .behind
        case .misaligned: return .misaligned
        case .unmatched(let mismatch): return .unmatched(mismatch)
        }
        var added: [SegmentList.Entry] = []
        for segment in playlist.segments where segment.sequence >= first {
            added.append(try SegmentList.Entry(segment, of: name))
        }
        // The presentation itself may have a discontinuity at the same place, at which its clock restarts.
        added[0].continuesClock = !added[0].isDiscontinuous
        added[0].isDiscontinuous = true
        let known = list.segments.count
        entries.join(playlist, at: first, now: now)
        for entry in added { list.append(entry) }
        variantStart = known
        noteParts(playlist, .added(first: first))
        note(playlist, from: known)
        forget(playlist)
        return .joined
    }

    /// Returns the notices that have accumulated since the last call.
    mutating func takeNotices() -> [Notice] {
        defer { notices = [] }
        return notices
    }

    /// - Parameter known: how many segments were known before the load.
    private mutating func note(_ playlist: HLSMediaPlaylist, from known: Int) {
        let segments = list.segments
        let added = entries.entries.compactMap { entry -> (segment: HLSSegment, start: MediaTime)? in
            let index = Int(clamping: entry.index) + base
            return index >= known && segments.indices.contains(index) ? (entry.segment, segments[index].start) : nil
        }
        let dated = segments.last { $0.date != nil }
        let found = marks.take(playlist, added: added) { date in
            dated.flatMap { last in last.date.map { last.start + (date - $0) } }
        }
        hasMarks = hasMarks || !found.isEmpty
        notices += found
    }

    /// Takes the messages in the media of a segment.
    mutating func note(_ splices: [StreamReception.Splice], of segment: Int) {
        guard !hasMarks, list.segments.indices.contains(segment) else { return }
        notices += splices.prefix(ListMarks.noticeLimit).map {
            ListMarks.notice(of: $0, in: list.segments[segment].start)
        }
    }

    private mutating func noteParts(_ playlist: HLSMediaPlaylist, _ outcome: HLSEntryList.Outcome) {
        hasNewParts = outcome.hasChanged && !playlist.parts.isEmpty
        guard outcome != .outdated else { return }
        // An empty playlist of a server that begins again lists parts of another segment.
        let continues = playlist.nextSequence == entries.anchor?.nextSequence
        open = continues ? ListedParts(openIn: playlist)?.reported(as: list.content) : nil
    }

    /// Ends the segment that is not complete with the parts that were announced: the playlist will never list it as a whole.
    mutating func close(_ announced: SegmentList.Entry) {
        entries.closeOpenEntry(lasting: announced.duration)
        list.append(announced)
        open = nil
    }

    /// Merges a later load.
    ///
    /// - Parameter announced: the segment after the last one, as far as it was announced to players; `nil` if nothing
    ///   of it was. The segment keeps that part, even if the playlist now has another segment in its place.
    /// - Returns: the first segment since the playlist began again or segments were missed, if that has just happened.
    /// - Throws: `sourceEncrypted` if new segments cannot be decrypted.
    mutating func take(
        _ playlist: HLSMediaPlaylist,
        name: String,
        keeping announced: SegmentList.Entry? = nil,
        now: Int64
    ) throws(EngineError) -> Int? {
        let next = list.segments.count
        if let announced, restarts(with: playlist, now: now) { close(announced) }
        let outcome = entries.take(playlist, now: now)
        let known = list.segments.count
        for entry in entries.entries where Int(clamping: entry.index) + base >= known {
            var added = try SegmentList.Entry(entry.segment, of: name)
            added.isDiscontinuous = entry.isDiscontinuous
            if let announced, list.segments.count == next { added.duration = max(added.duration, announced.duration) }
            list.append(added)
        }
        if let announced, playlist.hasEnded, list.segments.count == next { close(announced) }
        noteParts(playlist, outcome)
        if let notice = outcome.notice(path: name) { notices.append(notice) }
        if outcome != .outdated { note(playlist, from: known) }
        var restarted: Int?
        if case .restarted(let first, _) = outcome {
            restart = first
            restarted = Int(clamping: first) + base
        }
        forget(playlist)
        return restarted
    }

    /// Whether the playlist does not continue the known entries.
    private func restarts(with playlist: HLSMediaPlaylist, now: Int64) -> Bool {
        var attempt = entries
        if case .restarted = attempt.take(playlist, now: now) { return true }
        return false
    }

    /// Drops what the server no longer lists, if the window moves.
    private mutating func forget(_ playlist: HLSMediaPlaylist) {
        guard list.slides else { return }
        largestLoad = max(largestLoad, playlist.segments.count)
        var oldest = entries.window.lowerBound
        // Segments that were listed before the playlist began again stay until they would have left the window.
        if oldest == restart { oldest = min(oldest, Int64(list.segments.count - base - largestLoad)) }
        list.forget(before: Int(clamping: oldest) + base)
        entries.forget(before: oldest)
    }

    /// Moves the segments from `first` on to a later time, so that the list ends at `end`. Never moves them to an earlier
    /// time, where they would overlap others.
    mutating func move(from first: Int, endingAt end: MediaTime) {
        let distance = end - list.duration
        if distance > .zero { list.move(from: first, by: distance) }
    }

    /// Replaces the URLs of segments with newly signed ones from a later load. Nothing else changes. Segments of a variant
    /// that was played before keep theirs.
    mutating func rename(by playlist: HLSMediaPlaylist, name: String) throws(EngineError) {
        guard let offset = entries.anchor?.offset else { return }
        for segment in playlist.segments {
            let index = Int(clamping: segment.sequence + offset) + base
            guard index >= variantStart, list.segments.indices.contains(index) else { continue }
            list.rename(index, try SegmentList.Entry(segment, of: name))
        }
    }

    /// Moves all segments to a later time.
    mutating func move(by distance: MediaTime) { list.move(by: distance) }

    /// Marks the media of a segment as missing.
    mutating func lose(_ index: Int) { list.lose(index) }

    /// When the end of the newest segment was recorded, according to the playlist.
    var date: WallTime? { list.segments.last.flatMap { last in last.date.map { $0 + last.duration } } }

    /// When something new was last listed.
    var lastProgress: Int64 { entries.lastProgress ?? 0 }

    /// Whether nothing new has been listed for 3.5 target durations.
    func isStalled(at now: Int64) -> Bool { entries.isStalled(now: now) }
}

extension HLSEntryList.Outcome {
    /// The notice about a load after which the list has a discontinuity; `nil` for any other outcome.
    func notice(path: String) -> Notice? {
        guard case .restarted(_, let cause) = self else { return nil }
        return switch cause {
        case .sequenceReset:
            Notice(
                .warning,
                "live.sequence_reset",
                "the playlist \(path) has begun again; its segments follow the earlier ones after a discontinuity"
            )
        case .missed(let count):
            Notice(
                .warning,
                "live.segments_missed",
                "\(count) segments of \(path) left its playlist before the engine loaded it; a discontinuity replaces them"
            )
        }
    }
}
