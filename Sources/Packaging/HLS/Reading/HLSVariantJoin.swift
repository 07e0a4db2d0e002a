// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Where the media playlist of another variant continues a live playlist (RFC 8216bis §6.2.4: the contents of variants
/// match). Pure.
///
/// Dates decide if both playlists have them. Otherwise both must use the same media sequence numbers: all entries that
/// both list, at least two, must have the same durations and discontinuity sequence numbers. The RFC does not promise
/// that such entries match, but packagers that number the segments of all variants alike make them so.
package enum HLSVariantJoin: Hashable, Sendable {
    package enum Mismatch: Hashable, Sendable {
        /// The dates of the two playlists come from different clocks.
        case dates
        /// There are no dates, and the playlists number their entries differently.
        case numbers
        /// The other playlist has longer segments than were promised to players.
        case targetDuration
    }

    /// The entry with this media sequence number follows.
    case next(Int64)
    /// The other playlist does not list the next entry yet.
    case behind
    /// No entry of the other playlist begins where the known ones end. One may begin at a later boundary.
    case misaligned
    /// The entry that follows cannot be found.
    case unmatched(Mismatch)

    /// Boundaries that are at most this far apart are the same.
    private static let tolerance = MediaTime(microseconds: 100_000)
    /// How far another variant may be behind: in target durations, or in entries if there are no dates. If it is
    /// farther behind, its content is not the same.
    private static let patience: Int64 = 6
    /// The fewest entries that both playlists must list, if there are no dates.
    private static let sharedEntries = 2

    /// - Parameters:
    ///   - known: the latest entries of the playlist that is left, in order.
    ///   - limit: the target duration that was promised to players.
    package init(after known: [HLSSegment], in playlist: HLSMediaPlaylist, limit: MediaTime) {
        guard let last = known.last, let first = playlist.segments.first else {
            self = .behind
            return
        }
        guard playlist.targetDuration <= limit else {
            self = .unmatched(.targetDuration)
            return
        }
        if let start = last.date, first.date != nil {
            self = Self.byDate(start, last, playlist)
        } else {
            self = Self.byNumber(known, last, playlist)
        }
    }

    private static func byDate(_ start: WallTime, _ last: HLSSegment, _ playlist: HLSMediaPlaylist) -> Self {
        func isNear(_ date: WallTime?, _ other: WallTime) -> Bool { date.map { agrees($0 - other, .zero) } ?? false }
        // The same entry is a better mark than its end, because stated durations may be rounded.
        if let same = playlist.segments.last(where: { isNear($0.date, start) && agrees($0.duration, last.duration) }) {
            return same.sequence + 1 < playlist.nextSequence ? .next(same.sequence + 1) : .behind
        }
        let boundary = start + last.duration
        if let next = playlist.segments.first(where: { isNear($0.date, boundary) }) { return .next(next.sequence) }
        guard let first = playlist.segments.first?.date, let final = playlist.segments.last, let date = final.date
        else {
            return .unmatched(.dates)
        }
        let rest = boundary - (date + final.duration)
        let patience = MediaTime(microseconds: playlist.targetDuration.microseconds * patience)
        if first - boundary > tolerance || rest > patience { return .unmatched(.dates) }
        return rest >= .zero - tolerance ? .behind : .misaligned
    }

    private static func byNumber(_ known: [HLSSegment], _ last: HLSSegment, _ playlist: HLSMediaPlaylist) -> Self {
        let others = Dictionary(playlist.segments.map { ($0.sequence, $0) }) { first, _ in first }
        let shared = known.compactMap { own in others[own.sequence].map { (own, $0) } }
        let isSame = shared.allSatisfy { own, other in
            agrees(own.duration, other.duration) && own.discontinuity == other.discontinuity
        }
        guard isSame, shared.count >= sharedEntries, playlist.nextSequence > last.sequence - patience else {
            return .unmatched(.numbers)
        }
        return playlist.nextSequence > last.sequence + 1 ? .next(last.sequence + 1) : .behind
    }

    private static func agrees(_ one: MediaTime, _ other: MediaTime) -> Bool {
        (one - other).microseconds.magnitude <= tolerance.microseconds.magnitude
    }
}

extension HLSVariantJoin.Mismatch: CustomStringConvertible {
    package var description: String {
        switch self {
        case .dates: "its dates come from another clock"
        case .numbers: "neither dates nor media sequence numbers show which of its segments follow"
        case .targetDuration: "its segments are longer"
        }
    }
}
