// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

// What is wanted around the playhead, and what of it is missing.
extension SubtitleDecoder {
    /// Cues that came this long ago, and are known, are still on where they last that long.
    static let longBehind = MediaTime.seconds(180)
    static let ahead = MediaTime.seconds(60)
    /// Playback reads about half a minute ahead; what it has not brought by then is read here.
    private static let aheadOfHarvest = MediaTime.seconds(16)
    private static let aheadOfCaptions = MediaTime.seconds(4)

    func window(behind: MediaTime? = nil, ahead: MediaTime) -> ClosedRange<Int>? {
        let behind = behind ?? usualLength(of: embedded(selected))
        return units.units(from: playhead - behind, to: playhead + ahead)
    }

    /// How far ahead of the playhead the cues of a track are looked for.
    private func reach(of track: SubtitleTrack) -> MediaTime {
        // What must be seen behind them has to come along as well.
        if isAlongside(track) { return isEager ? Self.aheadOfHarvest : Self.aheadOfCaptions }
        return source.container.isMatroska && !isEager ? Self.aheadOfHarvest : Self.ahead
    }

    /// The units before the window that hold what is on for long.
    func farUnits(before window: ClosedRange<Int>) -> [Int] {
        embedded(selected).flatMap { track in
            spans?.units(of: track, onAt: playhead, before: window.lowerBound, units) ?? []
        }
    }

    /// Whether it is still to be found out what is on for long.
    var isSeekingSpans: Bool {
        let tracks = embedded(selected)
        guard !tracks.isEmpty, let window = window(ahead: Self.ahead) else { return false }
        return !areSpansKnown(tracks, before: window.lowerBound)
    }

    /// What is missing around the playhead: from there on first, then what is behind it, and what is on from long before.
    func nextMissing() -> (unit: Int, tracks: [SubtitleTrack])? {
        let windows = embedded(selected).compactMap { track in
            window(ahead: reach(of: track)).map { (track: track, range: $0) }
        }
        // They differ in how far ahead they reach.
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
