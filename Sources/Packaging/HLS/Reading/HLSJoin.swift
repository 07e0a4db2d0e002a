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

    /// The distance between the end of a live playlist and the start of playback, unless there is a gap.
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
                playlist.isLive ? end - Self.holdBack(of: playlist) : .zero
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
