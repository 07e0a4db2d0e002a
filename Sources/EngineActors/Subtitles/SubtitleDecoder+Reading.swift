// SPDX-License-Identifier: Apache-2.0

package import EngineModel
internal import Packaging

// Cues for whoever asks for them.
extension SubtitleDecoder {
    /// How long a segment waits for what is on for long to be found; a range, a step at a time.
    private static let patience: Int64 = 5_000_000_000
    private static let stepPatience: Int64 = 100_000_000
    /// How far from its time the source may keep a cue.
    private static let disorder = MediaTime.seconds(10)

    /// All cues of a track that are on in segment `index`, in order. The same whatever was read before.
    ///
    /// - Throws: `trackNotFound`, `unavailable` while it is not known yet where long cues are, `resourceExhausted` where there
    ///   are more than may be held, or why the source cannot be read.
    package func cues(of track: Int, inSegment index: Int) async throws(EngineError) -> [Cue] {
        let range = MediaTimeRange(
            // What is on before the first picture belongs to the first segment.
            start: index == 0 ? .seconds(-86_400) : units.start(of: index),
            end: units.endTime(of: index) ?? MediaTime(microseconds: .max)
        )
        if let whole = whole(track) { return whole.filter { $0.overlaps(range) } }
        guard let track = tracks.first(where: { $0.id == track }) else {
            throw EngineError(.trackNotFound, "there is no subtitle track \(track)")
        }
        let first = firstUnit(before: range.start, [track])
        let last = min(units.plan.boundaries.count - 1, index + 1)
        guard first <= last else { return [] }
        guard let far = try await farUnits(of: [track], onAt: range.start, before: first, patience: Self.patience)
        else {
            throw EngineError(.unavailable, "long cues before segment \(index) are still being looked for")
        }
        var cues = CueList()
        for unit in far + Array(first...last) {
            await waitForPlan(of: unit, [track])
            await giveWay()
            cues.set(try await read(unit, track), track: track.id, unit: unit)
            guard cues.byteCount <= Self.byteLimit else { throw .tooManyCues(in: "what is on in segment \(index)") }
        }
        return cues.cues(of: [track.id]).filter { $0.overlaps(range) }
    }

    /// What the script of a track says before its events. Empty where the track is none.
    func header(of track: SubtitleTrack) throws(EngineError) -> String {
        if let header = wholeHeader(track.id) { return header }
        return try CueDecoderCatalog.decoder(for: try setting(track)).scriptHeader
    }

    /// Waits until the plan reaches as far as decoding a unit takes, or is complete.
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

    /// Where reading starts, so that it sees what is on at a time and no longer than usual.
    private func firstUnit(before time: MediaTime, _ tracks: [SubtitleTrack]) -> Int {
        units.unit(at: time - usualLength(of: tracks)) ?? 0
    }

    /// The units before `unit` that hold what is on for long, and may be on at `time`. In order.
    ///
    /// - Parameter patience: in nanoseconds.
    /// - Returns: `nil` while it is not known.
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

    /// Where reading a range begins. Waits for the plan where that still grows.
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

    /// One step of reading a range: the cues of unit `index` of it. Waits for the plan where that still grows.
    ///
    /// - Returns: `nil` behind the last unit.
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

/// The units that reading a range begins with: those far before it that reach into it, then all from one on.
struct CueBeginning: Sendable {
    var far: [Int] = []
    var first = 0
}

/// What one unit has brought.
struct CueStep: Sendable {
    var cues: [Cue] = []
    /// Nothing earlier is to be expected.
    var settled = MediaTime.zero
    /// 0 … 1.
    var progress = 0.0
}
