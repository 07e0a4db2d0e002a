// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging
internal import Reading

// Which cues are needed around the playhead, and which of them are missing.
extension SubtitleDecoder {
    /// How far behind the playhead known units are searched for cues that are still on screen.
    static let longBehind = MediaTime.seconds(180)
    static let ahead = MediaTime.seconds(60)
    /// Playback reads about half a minute ahead. Packets that it has not delivered within this distance are read here.
    private static let aheadOfHarvest = MediaTime.seconds(16)
    private static let aheadOfCaptions = MediaTime.seconds(4)

    func window(behind: MediaTime? = nil, ahead: MediaTime) -> ClosedRange<Int>? {
        let behind = behind ?? usualLength(of: embedded(selected))
        return units.units(from: playhead - behind, to: playhead + ahead)
    }

    /// How far ahead of the playhead to look for the cues of a track.
    private func reach(of track: SubtitleTrack) -> MediaTime {
        // Decoding these needs the packets of the run-out as well.
        if isAlongside(track) { return isEager ? Self.aheadOfHarvest : Self.aheadOfCaptions }
        return source.container.isMatroska && !isEager ? Self.aheadOfHarvest : Self.ahead
    }

    /// The units before the window that hold long cues.
    func farUnits(before window: ClosedRange<Int>) -> [Int] {
        embedded(selected).flatMap { track in
            spans?.units(of: track, onAt: playhead, before: window.lowerBound, units) ?? []
        }
    }

    /// Whether the search for long cues is unfinished.
    var isSeekingSpans: Bool {
        let tracks = embedded(selected)
        guard !tracks.isEmpty, let window = window(ahead: Self.ahead) else { return false }
        return !areSpansKnown(tracks, before: window.lowerBound)
    }

    /// The next unit missing around the playhead: first from the playhead on, then behind it, then units with long
    /// cues.
    func nextMissing() -> (unit: Int, tracks: [SubtitleTrack])? {
        let windows = embedded(selected).compactMap { track in
            window(ahead: reach(of: track)).map { (track: track, range: $0) }
        }
        // Tracks differ in how far ahead they reach.
        guard let window = windows.map(\.range).max(by: { $0.upperBound < $1.upperBound }),
            let now = units.unit(at: playhead)
        else { return nil }
        let far = farUnits(before: window)
        let order = Array(max(now, window.lowerBound)...window.upperBound) + (window.lowerBound..<now).reversed()
        for unit in order + far.reversed() {
            let missing = windows.filter { track, range in
                unit <= range.upperBound && !list.has(track: track.id, unit: unit) && lastUnit(for: unit, track) != nil
            }
            if !missing.isEmpty { return (unit, missing.map(\.track)) }
        }
        return nextMissingBack
    }
}
