// SPDX-License-Identifier: Apache-2.0

package import EngineModel
internal import Packaging
internal import Reading

// Cues on request.
extension SubtitleDecoder {
    /// How long to search for long cues, in nanoseconds: `patience` for a segment, `stepPatience` for each step of a
    /// range.
    private static let patience: Int64 = 5_000_000_000
    private static let stepPatience: Int64 = 100_000_000
    /// How far the source may store a cue from its time.
    private static let disorder = MediaTime.seconds(10)

    /// All cues of a track that are on screen during segment `index`, in order. The result does not depend on what was
    /// read before.
    ///
    /// - Throws: `trackNotFound`, `unavailable` while the search for long cues is not finished, `resourceExhausted`
    ///   where there are more than the limit, or why the source cannot be read.
    package func cues(of track: Int, inSegment index: Int) async throws(EngineError) -> [Cue] {
        let range = MediaTimeRange(
            // Cues before the first picture belong to the first segment.
            start: index == 0 ? .seconds(-86_400) : units.start(of: index),
            end: units.endTime(of: index) ?? MediaTime(microseconds: .max)
        )
        if let whole = whole(track) { return whole.filter { $0.overlaps(range) } }
        guard let track = tracks.first(where: { $0.id == track }) else {
            throw EngineError(.trackNotFound, "subtitle track \(track) does not exist")
        }
        let first = firstUnit(before: range.start, [track])
        let last = min(units.plan.boundaries.count - 1, index + 1)
        guard first <= last else { return [] }
        guard let far = try await farUnits(of: [track], onAt: range.start, before: first, patience: Self.patience)
        else {
            throw EngineError(.unavailable, "the search for long cues before segment \(index) is not finished")
        }
        var cues = CueList()
        for unit in far + Array(first...last) {
            await waitForPlan(of: unit, [track])
            await giveWay()
            cues.set(try await read(unit, track), track: track.id, unit: unit)
            guard cues.byteCount <= Self.byteLimit else { throw .tooManyCues(in: "segment \(index)") }
        }
        return cues.cues(of: [track.id]).filter { $0.overlaps(range) }
    }

    /// The script header of a track. Empty where the track is not a script.
    package func header(of track: SubtitleTrack) throws(EngineError) -> String {
        if let header = wholeHeader(track.id) { return header }
        return try CueDecoderCatalog.decoder(for: try setting(track)).scriptHeader
    }

    /// Waits until the plan reaches as far as decoding a unit needs, or is complete.
    private func waitForPlan(of unit: Int, _ tracks: [SubtitleTrack]) async {
        while !units.plan.isComplete, !isStopped, !Task.isCancelled,
            unit >= units.count || tracks.contains(where: { lastUnit(for: unit, $0) == nil })
        {
            await withCheckedContinuation { planWaiters.append($0) }
        }
    }

    /// The cues of one unit of one track, in the order of the source.
    func read(_ unit: Int, _ track: SubtitleTrack) async throws(EngineError) -> [Cue] {
        try await ensure(unit, track)
        try requireWhole(unit, track)
        return list.unit(track: track.id, unit: unit)
    }

    /// The unit at which reading must start to see every cue of usual length that is on screen at a time.
    private func firstUnit(before time: MediaTime, _ tracks: [SubtitleTrack]) -> Int {
        units.unit(at: time - usualLength(of: tracks)) ?? 0
    }

    /// The units before `unit` that hold long cues that may be on screen at `time`, in order.
    ///
    /// - Parameter patience: in nanoseconds.
    /// - Returns: `nil` while they are not known.
    private func farUnits(
        of tracks: [SubtitleTrack],
        onAt time: MediaTime,
        before unit: Int,
        patience: Int64
    ) async throws(EngineError) -> [Int]? {
        guard try await findSpans(tracks, before: unit, patience: patience) else { return nil }
        let back = try await unitsBack(of: tracks, onAt: time, before: unit)
        return Set(longUnits(of: tracks, onAt: time, before: unit) + back).sorted()
    }

    /// Where reading a range begins. Waits for a growing plan to reach the range.
    ///
    /// - Returns: `nil` while it is not known.
    func beginning(
        of choice: [SubtitleTrack],
        in range: MediaTimeRange?
    ) async throws(EngineError) -> CueBeginning? {
        guard let range else { return CueBeginning() }
        while !units.plan.isComplete, !isStopped, !Task.isCancelled,
            units.count == 0 || units.start(of: units.count - 1) <= range.start
        {
            await withCheckedContinuation { planWaiters.append($0) }
        }
        guard !isStopped, !Task.isCancelled else { throw EngineError(.cancelled, "the session was stopped") }
        let embedded = choice.filter { whole($0.id) == nil }
        let first = firstUnit(before: range.start, embedded)
        let far = try await farUnits(of: embedded, onAt: range.start, before: first, patience: Self.stepPatience)
        return far.map { CueBeginning(far: $0, first: first) }
    }

    /// Reads one step of a range: the cues of its unit number `index`. Waits for a growing plan.
    ///
    /// - Returns: `nil` after the last unit.
    func step(
        _ index: Int,
        of choice: [SubtitleTrack],
        in range: MediaTimeRange?,
        from beginning: CueBeginning
    ) async throws(EngineError) -> CueStep? {
        let (first, far) = (beginning.first, beginning.far)
        let unit = index < far.count ? far[index] : first + index - far.count
        await waitForPlan(of: unit, choice)
        guard !isStopped, !Task.isCancelled else { throw EngineError(.cancelled, "the session was stopped") }
        guard unit < units.count else { return nil }
        if let range, units.start(of: unit) - Self.disorder > range.end { return nil }
        await giveWay()
        var step = CueStep()
        for track in choice {
            if let whole = whole(track.id) {
                if index == 0 { step.cues += whole }
            } else {
                step.cues += try await read(unit, track)
            }
        }
        step.settled = units.start(of: unit) - Self.disorder
        let last = range.flatMap { units.unit(at: $0.end + Self.disorder) } ?? max(units.count - 1, unit)
        step.progress = Double(index + 1) / Double(max(1, far.count + last - first + 1))
        return step
    }
}

/// Where reading a range begins: the far units before it with cues that reach into it, then every unit from `first` on.
struct CueBeginning: Sendable {
    var far: [Int] = []
    var first = 0
}

/// The result of one step.
struct CueStep: Sendable {
    var cues: [Cue] = []
    /// No later step has cues before this time.
    var settled = MediaTime.zero
    /// 0 … 1.
    var progress = 0.0
}
