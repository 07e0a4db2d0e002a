// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// The position where playback of a media playlist begins (RFC 8216 §6.3.3, §4.3.5.2). Pure.
package struct HLSJoin: Hashable, Sendable {
    /// The index of the entry in the playlist.
    package var place: Int
    /// Relative to the start of that entry.
    package var offset: MediaTime
    /// The time from the start of playback to the end of the last entry.
    package var distance: MediaTime

    /// Without HOLD-BACK, playback of a live playlist begins this many target durations before the playlist's end.
    package static let holdBackFactor: Int64 = 3

    /// The number of the newest segments whose longest one counts for the distance if the server lists parts.
    private static let comparedSegments = 8
    /// The minimum of `reserve`: the time for requests of the playlists by the engine and the player, and for late
    /// media.
    package static let leastReserve = MediaTime(microseconds: 1_250_000)

    /// How much media playback keeps in reserve when the next segment is listed: PART-HOLD-BACK, at least
    /// `leastReserve`.
    ///
    /// - Returns: `nil` unless the playlist is live and has parts, and the server blocks requests until a segment is
    ///   complete: otherwise, it is not known when a segment was recorded. Also `nil` if the playlist has no
    ///   PART-HOLD-BACK, or if its EXT-X-START counts from the end.
    package static func reserve(of playlist: HLSMediaPlaylist) -> MediaTime? {
        guard playlist.isLive, playlist.partTarget != nil, playlist.control.canBlock,
            playlist.start.map({ $0.offset >= .zero }) ?? true
        else { return nil }
        return playlist.control.partHoldBack.map { max($0, leastReserve) }
    }

    /// The distance between the end of a live playlist and the start of playback, unless there is a gap.
    private static func distance(of playlist: HLSMediaPlaylist) -> MediaTime {
        guard let reserve = reserve(of: playlist) else { return holdBack(of: playlist) }
        let longest = playlist.segments.suffix(comparedSegments).map(\.duration).max() ?? .zero
        // The segment that is being recorded may be late.
        return max(longest + reserve - playlist.partDuration, reserve)
    }

    /// The distance between the end of a live playlist and the start of playback, if the server does not list parts.
    package static func holdBack(of playlist: HLSMediaPlaylist) -> MediaTime {
        if let offset = playlist.start?.offset, offset < .zero { return .zero - offset }
        return playlist.control.holdBack
            ?? MediaTime(microseconds: holdBackFactor * playlist.targetDuration.microseconds)
    }

    /// - Returns: `nil` for a playlist without entries.
    package init?(_ playlist: HLSMediaPlaylist) {
        let entries = playlist.segments
        guard !entries.isEmpty else { return nil }
        let end = playlist.duration
        let wanted =
            if let offset = playlist.start?.offset {
                offset < .zero ? end + offset : offset
            } else {
                playlist.isLive ? end - Self.distance(of: playlist) : .zero
            }
        // A position beyond either end means that end.
        let target = min(max(wanted, .zero), end)
        var found: (place: Int, time: MediaTime)?
        var time = MediaTime.zero
        for (place, entry) in entries.enumerated() {
            // Playback cannot begin in a gap. It begins with the last entry before the gap, otherwise with the first
            // one after it.
            if !entry.isGap, found == nil || time <= target { found = (place, time) }
            time = time + entry.duration
        }
        let (place, start) = found ?? (0, .zero)
        self.place = place
        let isWithin = target > start && target < start + entries[place].duration
        offset = playlist.start?.isPrecise == true && isWithin ? target - start : .zero
        distance = end - start - offset
    }
}
