// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging
internal import Reading

// Bitmap subtitles that stay on screen for unusually long, in containers without an index of subtitle packets.
// Earlier units are read backwards, one at a time, to the display set that is on screen. That set may be an empty one.
extension SubtitleDecoder {
    /// How far back to read. No real source shows a bitmap subtitle for longer, and where a track is empty for minutes,
    /// a seek reads at most 256 MiB.
    private static let farthestBack = MediaTime.seconds(600)
    private static let farthestBytes: Int64 = 256 << 20

    /// Other tracks have an index or a walk that names their long cues.
    private nonisolated func isLookedBackFor(_ track: SubtitleTrack) -> Bool {
        !track.isText && !source.container.isMatroska && !source.container.isMP4
    }

    /// The units before `first` in which a cue that is on screen at `time` may start, latest first.
    private func reach(before first: Int, at time: MediaTime) -> [Int] {
        let boundaries = units.plan.boundaries
        guard first > 0, first < boundaries.count else { return [] }
        return Array(
            (0..<first).reversed().prefix { unit in
                units.start(of: unit + 1) > time - Self.farthestBack
                    && boundaries[first].position &- boundaries[unit + 1].position < Self.farthestBytes
            }
        )
    }

    private func hasBegun(_ cues: [Cue], by time: MediaTime) -> Bool { cues.contains { $0.start <= time } }

    /// The known units before the window that decide what is on screen at the playhead, latest first, and the unit that
    /// must be read next.
    private func unitsBack(of track: SubtitleTrack) -> (known: [Int], missing: Int?) {
        guard isLookedBackFor(track), let near = window(ahead: .zero) else { return ([], nil) }
        for unit in near.reversed() {
            // A unit that is not read yet may replace anything before it.
            guard list.has(track: track.id, unit: unit) else { return ([], nil) }
            if hasBegun(list.unit(track: track.id, unit: unit), by: playhead) { return ([], nil) }
        }
        var known: [Int] = []
        for unit in reach(before: near.lowerBound, at: playhead) {
            guard list.has(track: track.id, unit: unit) else { return (known, unit) }
            known.append(unit)
            if hasBegun(list.unit(track: track.id, unit: unit), by: playhead) { break }
        }
        return (known, nil)
    }

    /// The known units before the window that decide what is on screen at the playhead.
    var knownUnitsBack: [Int] { embedded(selected).flatMap { unitsBack(of: $0).known } }

    /// The unit before the window to read next, and the tracks to read it for. All tracks that need looking back are
    /// read at once.
    var nextMissingBack: (unit: Int, tracks: [SubtitleTrack])? {
        let tracks = embedded(selected).filter(isLookedBackFor)
        guard let unit = tracks.compactMap({ unitsBack(of: $0).missing }).max() else { return nil }
        return (unit, tracks.filter { !list.has(track: $0.id, unit: unit) })
    }

    /// Reads backwards from `time` to the display sets that are on screen at that time. Playback goes first.
    ///
    /// - Returns: the units before `first` that were read, in order. The result depends on the source only.
    func unitsBack(
        of tracks: [SubtitleTrack],
        onAt time: MediaTime,
        before first: Int
    ) async throws(EngineError) -> [Int] {
        var found: Set<Int> = []
        for track in tracks where isLookedBackFor(track) {
            let near = (first...max(first, units.unit(at: time) ?? first)).reversed()
            for unit in near + reach(before: first, at: time) {
                await giveWay()
                let cues = try await read(unit, track)
                if unit < first { found.insert(unit) }
                if hasBegun(cues, by: time) { break }
            }
        }
        return found.sorted()
    }
}
