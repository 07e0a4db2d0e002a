// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

// Pictures that have been on for longer than is usual, in containers that do not say where the packets of a track are: what lies
// before is read a unit at a time, back to the display set that is on, which may be an empty one.
extension SubtitleDecoder {
    /// How far back is read: nobody leaves a picture of subtitles on for longer, and where a track says nothing for minutes
    /// no seek costs more than a quarter of a GiB of reading.
    private static let farthestBack = MediaTime.seconds(600)
    private static let farthestBytes: Int64 = 256 << 20

    /// Elsewhere an index or a walk names them.
    private nonisolated func isLookedBackFor(_ track: SubtitleTrack) -> Bool {
        !track.isText && !source.container.isMatroska && !source.container.isMP4
    }

    /// The units before `first` in which what is on at `time` may start, the latest first.
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

    /// The units before the window that tell what is on at the playhead, as far as they are known, the latest first; with them
    /// the one that must be read next.
    private func unitsBack(of track: SubtitleTrack) -> (known: [Int], missing: Int?) {
        guard isLookedBackFor(track), let near = window(ahead: .zero) else { return ([], nil) }
        for unit in near.reversed() {
            // What is not read yet may replace whatever lies before it.
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

    /// The units before the window that tell what is on at the playhead, as far as they are known.
    var knownUnitsBack: [Int] { embedded(selected).flatMap { unitsBack(of: $0).known } }

    /// The unit before the window that is to be read next, and for which tracks: whatever is looked back for is read at once.
    var nextMissingBack: (unit: Int, tracks: [SubtitleTrack])? {
        let tracks = embedded(selected).filter(isLookedBackFor)
        guard let unit = tracks.compactMap({ unitsBack(of: $0).missing }).max() else { return nil }
        return (unit, tracks.filter { !list.has(track: $0.id, unit: unit) })
    }

    /// Reads back from `time` to the display sets that are on at it, and lets playback go first.
    ///
    /// - Returns: the units before `first` that were read, in order. A function of the source.
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
