// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// The entries of one media playlist over all its loads. Pure; times are in nanoseconds of CLOCK_MONOTONIC.
///
/// An entry keeps its index and its properties forever. Within an epoch, the index is the entry's media sequence number
/// plus an offset, so that two lists that joined the same playlist at the same entry agree. The offset changes only if
/// the server lists known entries under other numbers. A new epoch begins where the server's numbers start again, where
/// entries were missed, and where another variant follows; its first entry has the next index and is discontinuous.
package struct HLSEntryList: Hashable, Sendable {
    package struct Entry: Hashable, Sendable {
        package let index: Int64
        package let epoch: Int
        /// As in the first playlist that listed it.
        package let segment: HLSSegment
        /// Whether EXT-X-DISCONTINUITY precedes the entry, or the entry begins an epoch other than the first.
        package let isDiscontinuous: Bool
    }

    /// The effect of a load.
    package enum Outcome: Hashable, Sendable {
        /// Entries follow the known ones, from this index on.
        case added(first: Int64)
        /// A new epoch begins, with entries from this index on.
        case restarted(first: Int64, RestartCause)
        /// New parts of the entry that is not complete yet.
        case partsAdded
        /// The load had nothing new.
        case unchanged
        /// An older version of the playlist, e.g. from a cache. It was ignored.
        case outdated

        /// Whether the load had anything new.
        package var hasChanged: Bool {
            switch self {
            case .added, .restarted, .partsAdded: true
            case .unchanged, .outdated: false
            }
        }
    }

    /// Why the entries of an epoch do not continue those of the one before.
    package enum RestartCause: Hashable, Sendable {
        /// The server's media sequence numbers began again, or now belong to other media.
        case sequenceReset
        /// The window moved past this many entries that were never seen.
        case missed(Int64)
    }

    /// The state that must outlive the process, so that no index is used twice.
    package struct Anchor: Hashable, Sendable, Codable {
        package var epoch: Int
        /// Index minus media sequence number, as of the last load.
        package var offset: Int64
        package var nextIndex: Int64
        /// The mark of the last entry.
        package var last: Mark

        package var nextSequence: Int64 { nextIndex - offset }

        fileprivate var isPossible: Bool {
            let range = 0...HLSLimits.sequence
            return epoch >= 0 && epoch < Int.max && range.contains(nextIndex)
                && (-HLSLimits.sequence...HLSLimits.sequence).contains(offset) && range.contains(nextSequence)
        }
    }

    /// Identifies an entry, so that two playlists can be compared.
    package struct Mark: Hashable, Sendable, Codable {
        /// The last component of the URL's path: hosts, directories and queries change from load to load.
        package var name: String
        package var rangeOffset: Int64?
        /// Microseconds since 1970. `nil`: the playlist declares none for this entry.
        package var date: Int64?
    }

    /// If this many loads in a row are older than all known entries, they count as a restart.
    package static let outdatedLimit = 3
    /// The number of latest entries that are searched for under other media sequence numbers.
    private static let comparedEntries = 200
    /// The list is stalled if no load had anything new for this many target durations.
    package static let stallFactor = 3.5

    package private(set) var anchor: Anchor?
    /// In order of their indices, which are consecutive. Includes entries of earlier epochs.
    package private(set) var entries: [Entry] = []
    /// The entries of the current epoch, in order.
    package var current: [Entry] { entries.filter { $0.epoch == anchor?.epoch } }
    /// The indices in the latest playlist.
    package private(set) var window: Range<Int64> = 0..<0
    package private(set) var hasEnded = false
    private var targetDuration = MediaTime.seconds(1)
    private var outdatedLoads = 0
    /// The number of known parts of the incomplete entry.
    private var partCount = 0
    /// The time of the last load that had anything new, or of the first load. `nil` before that.
    package private(set) var lastProgress: Int64?

    package init() {}

    /// - Parameter anchor: the state of an earlier process, whose indices are continued.
    /// - Returns: `nil` if no list can have had this anchor.
    package init?(resuming anchor: Anchor) {
        guard anchor.isPossible else { return nil }
        self.anchor = anchor
    }

    package subscript(_ index: Int64) -> Entry? {
        guard let first = entries.first?.index, index >= first, index - first < entries.count else { return nil }
        return entries[Int(index - first)]
    }

    /// Takes a load of the playlist.
    package mutating func take(_ playlist: HLSMediaPlaylist, now: Int64) -> Outcome {
        var outcome = outcome(of: playlist)
        if outcome == .unchanged, playlist.parts.count > partCount { outcome = .partsAdded }
        if outcome != .outdated {
            outdatedLoads = 0
            note(playlist)
        }
        if outcome.hasChanged || lastProgress == nil { lastProgress = now }
        return outcome
    }

    private mutating func note(_ playlist: HLSMediaPlaylist) {
        targetDuration = playlist.targetDuration
        partCount = playlist.parts.count
        hasEnded = playlist.hasEnded
    }

    /// The time from which the list counts as stalled, unless a load has anything new before. `nil` if it has ended or
    /// was never loaded.
    package var stallTime: Int64? {
        guard !hasEnded, let lastProgress else { return nil }
        return lastProgress &+ Int64(Self.stallFactor * Double(targetDuration.microseconds) * 1000)
    }

    package func isStalled(now: Int64) -> Bool { stallTime.map { now >= $0 } ?? false }

    /// Drops the entries before `index`, except the last entry of the list. Their indices are not used again.
    package mutating func forget(before index: Int64) {
        entries.removeFirst(entries.dropLast().prefix { $0.index < index }.count)
    }

    /// Continues with the playlist of another variant, whose entries have the same content: its entries from
    /// `sequence` on follow the known ones, as a new epoch.
    ///
    /// - Precondition: the playlist lists `sequence`, and the list is not empty.
    package mutating func join(_ playlist: HLSMediaPlaylist, at sequence: Int64, now: Int64) {
        guard let anchor else { preconditionFailure("a variant follows a known one") }
        let added = playlist.segments.drop { $0.sequence < sequence }
        precondition(added.first?.sequence == sequence, "the playlist lists what follows")
        append(added, epoch: anchor.epoch + 1, offset: anchor.nextIndex - sequence)
        setWindow(playlist)
        outdatedLoads = 0
        note(playlist)
        lastProgress = now
    }

    /// Counts the incomplete entry as complete, because the playlist will never list it as a whole. What follows has
    /// later indices. Without effect before the first entry.
    ///
    /// - Parameter duration: how long its known parts last.
    package mutating func closeOpenEntry(lasting duration: MediaTime) {
        guard let anchor, var segment = entries.last?.segment else { return }
        (segment.sequence, segment.date) = (anchor.nextSequence, segment.date.map { $0 + segment.duration })
        (segment.url, segment.byteRange, segment.duration) = ("", nil, duration)
        (segment.isDiscontinuous, segment.isGap, segment.isDateDeclared) = (false, false, false)
        (segment.parts, segment.marks) = ([], [])
        append([segment], epoch: anchor.epoch, offset: anchor.offset)
        partCount = 0
    }

    // MARK: The effect of a load

    private mutating func outcome(of playlist: HLSMediaPlaylist) -> Outcome {
        guard let first = playlist.segments.first else { return .unchanged }
        guard let anchor else {
            append(playlist.segments[...], epoch: 0, offset: -first.sequence)
            setWindow(playlist)
            return .added(first: 0)
        }
        let comparison = comparison(with: playlist)
        if comparison == .same { return proceed(playlist, anchor) }
        if let outcome = renumber(playlist, anchor) { return outcome }
        if comparison == .other { return restart(playlist, anchor, .sequenceReset) }
        if first.sequence > anchor.nextSequence {
            return restart(playlist, anchor, .missed(first.sequence - anchor.nextSequence))
        }
        if playlist.nextSequence >= anchor.nextSequence { return proceed(playlist, anchor) }
        // According to its numbers, the whole playlist is older than the known entries.
        let isLater = zip(first.declaredDate, anchor.last.date).map { $0 > $1 } ?? false
        outdatedLoads += 1
        guard isLater || outdatedLoads >= Self.outdatedLimit else { return .outdated }
        return restart(playlist, anchor, .sequenceReset)
    }

    private mutating func proceed(_ playlist: HLSMediaPlaylist, _ anchor: Anchor) -> Outcome {
        guard playlist.nextSequence >= anchor.nextSequence else { return .outdated }
        // After a restart of the process, entries that are listed already keep their indices.
        let known = entries.isEmpty ? .min : anchor.nextSequence
        let added = playlist.segments.drop { $0.sequence < known }
        append(added, epoch: anchor.epoch, offset: anchor.offset)
        setWindow(playlist)
        return added.first.map { .added(first: $0.sequence + anchor.offset) } ?? .unchanged
    }

    /// Takes a playlist that has known entries under other numbers, e.g. from another server of the same packager.
    ///
    /// - Returns: `nil` if it has no known entries, if entries cannot be distinguished, or if it contradicts the known
    ///   order.
    private mutating func renumber(_ playlist: HLSMediaPlaylist, _ anchor: Anchor) -> Outcome? {
        let known = entries.suffix(Self.comparedEntries).filter { $0.epoch == anchor.epoch }
        let marks = known.map { Mark($0.segment) }
        guard known.count > 1, Set(marks).count == marks.count else { return nil }
        func place(of segment: HLSSegment) -> Int? {
            let mark = Mark(segment)
            return marks.lastIndex { $0.isSame(as: mark, tolerance: playlist.targetDuration) }
        }
        guard let shared = playlist.segments.last(where: { place(of: $0) != nil }), let last = place(of: shared) else {
            return nil
        }
        let offset = known[last].index - shared.sequence
        // All entries that are in both must agree.
        let agrees = playlist.segments.allSatisfy { segment in
            let index = Int(clamping: segment.sequence + offset - known[0].index)
            return !known.indices.contains(known.startIndex + index) || place(of: segment) == index
        }
        guard agrees else { return nil }
        guard playlist.nextSequence + offset >= anchor.nextIndex else { return .outdated }
        var renumbered = anchor
        renumbered.offset = offset
        self.anchor = renumbered
        return proceed(playlist, renumbered)
    }

    private mutating func restart(_ playlist: HLSMediaPlaylist, _ anchor: Anchor, _ cause: RestartCause) -> Outcome {
        let first = playlist.segments.first?.sequence ?? 0
        append(playlist.segments[...], epoch: anchor.epoch + 1, offset: anchor.nextIndex - first)
        setWindow(playlist)
        return .restarted(first: anchor.nextIndex, cause)
    }

    private mutating func append(_ segments: ArraySlice<HLSSegment>, epoch: Int, offset: Int64) {
        for segment in segments {
            let isFirst = epoch > 0 && epoch != (entries.last?.epoch ?? anchor?.epoch ?? 0)
            let entry = Entry(
                index: segment.sequence + offset,
                epoch: epoch,
                segment: segment,
                isDiscontinuous: segment.isDiscontinuous || isFirst
            )
            entries.append(entry)
            anchor = Anchor(
                epoch: epoch,
                offset: offset,
                nextIndex: max(entry.index + 1, anchor?.nextIndex ?? 0),
                last: Mark(segment)
            )
        }
    }

    private mutating func setWindow(_ playlist: HLSMediaPlaylist) {
        guard let anchor, let first = playlist.segments.first else { return }
        window = (first.sequence + anchor.offset)..<(playlist.nextSequence + anchor.offset)
    }

    private enum Comparison { case same, other, unknown }

    /// Compares the entries with equal numbers. One equal entry is enough.
    private func comparison(with playlist: HLSMediaPlaylist) -> Comparison {
        guard let anchor else { return .unknown }
        var result = Comparison.unknown
        for segment in playlist.segments {
            let index = segment.sequence + anchor.offset
            let known: Mark? =
                if let entry = self[index] {
                    entry.epoch == anchor.epoch ? Mark(entry.segment) : nil
                } else {
                    index == anchor.nextIndex - 1 ? anchor.last : nil
                }
            guard let known else { continue }
            if known.isSame(as: Mark(segment), tolerance: playlist.targetDuration) { return .same }
            result = .other
        }
        return result
    }

    private func zip(_ one: Int64?, _ other: Int64?) -> (Int64, Int64)? {
        guard let one, let other else { return nil }
        return (one, other)
    }
}

extension HLSEntryList.Mark {
    package init(_ segment: HLSSegment) {
        let path = URLReference(segment.url).path
        name = String(path.split(separator: "/").last ?? "")
        rangeOffset = segment.byteRange?.offset
        date = segment.declaredDate
    }

    /// Dates decide where both playlists declare them, otherwise names.
    fileprivate func isSame(as other: Self, tolerance: MediaTime) -> Bool {
        guard let date, let otherDate = other.date else {
            return name == other.name && rangeOffset == other.rangeOffset
        }
        let (difference, overflow) = date.subtractingReportingOverflow(otherDate)
        return !overflow && difference.magnitude <= tolerance.microseconds.magnitude / 2
    }
}

extension HLSSegment {
    fileprivate var declaredDate: Int64? { isDateDeclared ? date?.microseconds : nil }
}
