// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
internal import EngineRuntime
package import Packaging
package import Reading

/// Decodes the subtitle cues of a session, from packets that playback reads anyway and from packets that the decoder
/// reads itself.
///
/// Never touches playback's demuxers, and waits while playback is short of data. Owned by its session; called by the
/// session, by cue requests and by the segment producer. Runs on its own thread, at low priority.
package actor SubtitleDecoder {
    /// The contents of one segment of a subtitle rendition.
    package struct Segment: Sendable {
        /// The cues that are on screen during the segment, in order.
        package let cues: [Cue]
        package let range: MediaTimeRange

        package init(cues: [Cue], range: MediaTimeRange) { (self.cues, self.range) = (cues, range) }
    }

    /// The maximum size of the cue list in memory. Evicted units are read again when they are needed.
    package static let byteLimit = 48 << 20
    /// How long to wait for playback to deliver captions before the decoder reads them itself.
    private static let captionPatience = Duration.seconds(1)
    /// How long to search for long cues: `patience` for a segment, `stepPatience` for one step of a range.
    private static let (patience, stepPatience) = (Duration.seconds(5), Duration.milliseconds(100))
    /// The longest wait for playback that is short of data.
    private static let reliefPatience = Duration.seconds(1)
    /// A cue may be stored this far before or after the place in the source that belongs to its time.
    private static let disorder = MediaTime.seconds(10)

    private let executor = ThreadExecutor(name: "subtitles", niceness: 5)
    /// Raised permanently when the decoder stops.
    private nonisolated let stopFlag = InterruptFlag()
    nonisolated let source: OpenedSource
    private let pressure: PlaybackPressure
    private let onWindow: @Sendable (CueWindow) -> Void
    /// Signals that the plan has grown, captions have arrived, the playhead has moved, or the decoder stops.
    private let changes = ChangeSignal()
    private var demand: CueDemand
    private var cues = DecodedCues(limit: byteLimit)
    private let packets: SubtitlePackets
    private let captions: CaptionPackets
    private var filling: Task<Void, Never>?
    private var failures = CueFailures()

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    /// - Parameter onWindow: called on the decoder's executor after every change around the playhead.
    package init(
        source: OpenedSource,
        plan: SegmentPlan,
        pressure: PlaybackPressure,
        onWindow: @escaping @Sendable (CueWindow) -> Void
    ) {
        self.source = source
        self.pressure = pressure
        self.onWindow = onWindow
        demand = CueDemand(source, plan)
        packets = SubtitlePackets(source, interrupt: stopFlag)
        captions = CaptionPackets(source)
    }

    deinit { stopFlag.raise() }

    /// Whether a track's captions are in the video that playback serves in segments.
    package nonisolated func isAlongside(_ track: SubtitleTrack) -> Bool { source.lead.carries(track) }

    // MARK: Input from playback

    /// Replaces the plan with a longer one. The boundaries of the earlier plan are unchanged in it.
    package func extend(_ plan: SegmentPlan) {
        demand.extend(plan)
        changes.signal()
        fill()
    }

    /// Adds tracks that the source does not announce. Known tracks are kept.
    package func add(_ tracks: [SubtitleTrack]) { demand.add(tracks) }

    /// Changes which tracks are shown.
    package func select(_ ids: Set<Int>) {
        demand.select(ids)
        publish()
        fill()
    }

    /// To be called when the playhead has jumped or entered another segment, and after the selection has changed.
    ///
    /// - Parameter time: the playhead, less the delay of the subtitles.
    /// - Parameter isJump: whether the playhead jumped, as in a seek, instead of playing on.
    package func move(to time: MediaTime, isJump: Bool) {
        demand.move(to: time, isJump: isJump)
        changes.signal()
        publish()
        fill()
    }

    /// Takes packets that playback has read. Decodes, for the shown tracks, the unit of these packets, or, for captions,
    /// every unit whose packets are now complete.
    package func harvest(_ found: HarvestedPackets) {
        guard !isStopped, found.segment < demand.units.count else { return }
        let areCaptions = captions.take(found)
        if areCaptions { changes.signal() } else { packets.take(found) }
        for track in demand.shown {
            // The other tracks are decoded even if one fails.
            do throws(EngineError) {
                if areCaptions {
                    if isAlongside(track) { try decodeCaptions(upTo: found.segment, track) }
                } else if track.stream.map(found.streams.contains) ?? false,
                    !cues.has(found.segment, of: track.id), let span = demand.span(of: found.segment, track)
                {
                    try decode(found.segment, track, span)
                }
            } catch {
                failures[track.id] = error
            }
        }
        publish()
    }

    /// Decodes the units that waited for the captions of a segment.
    private func decodeCaptions(upTo segment: Int, _ track: SubtitleTrack) throws(EngineError) {
        for unit in (0...segment).reversed() {
            // The plan may not extend that far yet.
            guard let span = demand.span(of: unit, track) else { continue }
            guard span.upperBound >= segment else { return }
            guard !cues.has(unit, of: track.id), let known = captions.known(span) else { continue }
            try decode(unit, track, span, known)
        }
    }

    /// Sets the cues of a whole sidecar file, in order.
    package func install(_ cues: [Cue], scriptHeader: String = "", track: Int) {
        self.cues.setFile(cues, scriptHeader: scriptHeader, of: track)
        publish()
    }

    /// Removes the cues of a sidecar file.
    package func uninstall(track: Int) {
        cues.setFile(nil, scriptHeader: "", of: track)
        publish()
    }

    /// Stops the decoder and frees its readers.
    package func stop() {
        interrupt()
        filling?.cancel()
        packets.close()
        captions.close()
    }

    /// Makes the current read and every later one fail at once. Part of `stop`. Safe from any thread.
    package nonisolated func interrupt() {
        stopFlag.raise()
        changes.signal()
    }

    private var isStopped: Bool { stopFlag.isUp }

    /// - Throws: `cancelled` once the decoder has stopped, or the caller has been cancelled.
    private func requireRunning() throws(EngineError) {
        guard !isStopped, !Task.isCancelled else { throw EngineError(.cancelled, "the session was stopped") }
    }

    /// Waits until `condition` returns `true`. Returns early when the decoder stops or the task is cancelled.
    private func wait(until condition: () -> Bool) async {
        while !isStopped, !Task.isCancelled {
            let seen = changes.signalCount
            if condition() { return }
            await changes.wait(after: seen)
        }
    }

    private func waitForRelief() async { await pressure.waitForRelief(atMost: Self.reliefPatience) }

    // MARK: Around the playhead

    private func fill() {
        guard filling == nil, !isStopped, nextStep() != nil else { return }
        // The task ends when nothing is missing around the playhead, and when the decoder stops.
        filling = Task { await self.runFill() }
    }

    private func runFill() async {
        defer { filling = nil }
        var (read, playhead, tracks) = (Set<Int>(), demand.playhead, demand.selected)
        var patience = Self.captionPatience
        while !Task.isCancelled, !isStopped, let step = nextStep() {
            if playhead != demand.playhead || tracks != demand.selected {
                (read, playhead, tracks) = ([], demand.playhead, demand.selected)
            }
            if case .decode(let unit, _) = step, !read.insert(unit).inserted {
                cues.noteOverfull()
                publish()
                break
            }
            await waitForRelief()
            if case .decode(let unit, let tracks) = step {
                patience = await waitForCaptions(of: unit, tracks, patience)
            }
            guard !isStopped else { return }
            do throws(EngineError) {
                switch step {
                case .decode(let unit, let tracks): for track in tracks { await fill(unit, track) }
                case .search: try packets.search(demand)
                }
                failures.search = nil
            } catch {
                // The next move or selection tries again.
                failures.search = error
                publish()
                return
            }
            publish()
            await Task.yield()
        }
        demand.settle()
    }

    /// Decodes a unit for the window. A track that fails is skipped until the next move or selection.
    private func fill(_ unit: Int, _ track: SubtitleTrack) async {
        do throws(EngineError) {
            try await ensure(unit, track)
            failures[track.id] = nil
        } catch {
            guard !isStopped else { return }
            failures[track.id] = error
            demand.giveUp(track.id)
        }
    }

    private func nextStep() -> CueDemand.Step? {
        demand.next(
            cues,
            long: { longUnits(before: $0) },
            isSearched: { packets.isSearched($0, before: $1, demand.units) }
        )
    }

    private func longUnits(before unit: Int) -> [Int] {
        packets.longUnits(of: demand.shown, onAt: demand.playhead, before: unit, demand.units)
    }

    private func publish() {
        let window = demand.window(cues, long: { longUnits(before: $0) })
        let found = cues.cues(of: demand.selected, in: window, beside: demand.range)
        onWindow(CueWindow(cues: found, failures: failures, isCut: cues.isCut))
    }

    /// Waits for the captions that a unit needs, because playback also reads around the playhead and may deliver them.
    ///
    /// - Parameter patience: the maximum time to wait.
    /// - Returns: the remaining patience.
    private func waitForCaptions(of unit: Int, _ tracks: [SubtitleTrack], _ patience: Duration) async -> Duration {
        guard let track = tracks.first(where: isAlongside) else { return patience }
        let deadline = Deadline(in: patience)
        while !deadline.hasPassed, !isStopped, !Task.isCancelled {
            let seen = changes.signalCount
            guard let due = demand.awaitedCaptions(for: unit, track), captions.known(due) == nil else { break }
            await changes.wait(after: seen, until: deadline.nanoseconds)
        }
        return deadline.remaining
    }

    // MARK: Units

    /// The cues of one unit of one track, in the order of the source.
    private func read(_ unit: Int, _ track: SubtitleTrack) async throws(EngineError) -> [Cue] {
        try await ensure(unit, track)
        return try cues.whole(unit, of: track.id)
    }

    /// Makes sure that the cues of one unit of one track are decoded.
    private func ensure(_ unit: Int, _ track: SubtitleTrack) async throws(EngineError) {
        guard !isStopped else { throw EngineError(.cancelled, "the session was stopped") }
        guard !cues.has(unit, of: track.id) else { return }
        guard let span = demand.span(of: unit, track) else {
            throw EngineError(.unavailable, "the plan does not extend far enough past segment \(unit) yet")
        }
        guard isAlongside(track) else { return try decode(unit, track, span) }
        var found: [Int: [Packet]] = [:]
        for unit in span {
            if let known = captions.known(unit...unit) {
                found.merge(known) { $1 }
                continue
            }
            await waitForRelief()
            guard !isStopped else { throw EngineError(.cancelled, "the session was stopped") }
            found[unit] = try await captions.read(unit, of: demand.units.plan)
            changes.signal()
        }
        guard !isStopped else { throw EngineError(.cancelled, "the session was stopped") }
        try decode(unit, track, span, found)
    }

    /// Decodes one unit with a new decoder, so that the result is always the same.
    ///
    /// - Parameters:
    ///   - span: the units to decode, from `CueDemand.span`.
    ///   - given: the packets of the span; `nil`: the decoder reads them.
    private func decode(
        _ unit: Int,
        _ track: SubtitleTrack,
        _ span: ClosedRange<Int>,
        _ given: [Int: [Packet]]? = nil
    ) throws(EngineError) {
        let decoder = try packets.decoder(of: track, demand)
        let units = demand.units
        let decoded = try DecodedUnit(unit, of: track, by: decoder, units, in: span, limit: Self.byteLimit) {
            place throws(EngineError) in
            if let given { given[place] ?? [] } else { try packets.packets(of: place, track, demand) }
        }
        cues.set(decoded, unit, of: track.id, keepingNear: units.unit(at: demand.playhead) ?? 0)
    }

    // MARK: Requests

    /// The cues of one segment of a track. Waits until the next segment is planned, so that the result depends only on
    /// the source and the index.
    ///
    /// - Throws: `cancelled`, and the errors of `cues(of:inSegment:)`.
    package func segment(_ index: Int, of track: Int) async throws(EngineError) -> Segment {
        // The last planned segment may still grow with the file.
        await wait { index + 1 < demand.units.count || demand.units.plan.isComplete }
        guard !isStopped, !Task.isCancelled else { throw EngineError(.cancelled, "the request was cancelled") }
        let cues = try await cues(of: track, inSegment: index)
        let (units, lead) = (demand.units, source.lead)
        let start = units.start(of: index)
        let last = units.plan.end.map { MediaTime(lead.timelineTicks($0), in: lead.track.timeBase) }
        return Segment(cues: cues, range: MediaTimeRange(start: start, end: units.endTime(of: index) ?? last ?? start))
    }

    /// All cues of a track that are on screen during segment `index`, in order. The result does not depend on what was
    /// read before.
    ///
    /// - Throws: `trackNotFound`; `unavailable` while the search for long cues is not finished; `resourceExhausted` if
    ///   the cues exceed the limit; the errors of reading the source.
    package func cues(of track: Int, inSegment index: Int) async throws(EngineError) -> [Cue] {
        let range = MediaTimeRange(
            // Cues before the first frame belong to the first segment.
            start: index == 0 ? .seconds(-86_400) : demand.units.start(of: index),
            end: demand.units.endTime(of: index) ?? MediaTime(microseconds: .max)
        )
        if let file = cues.file(track) { return file.cues.readable.filter { $0.overlaps(range) } }
        guard let track = demand.tracks.first(where: { $0.id == track }) else {
            throw EngineError(.trackNotFound, "subtitle track \(track) does not exist")
        }
        let first = demand.firstUnit(before: range.start, [track])
        let last = min(demand.units.plan.boundaries.count - 1, index + 1)
        guard first <= last else { return [] }
        guard let far = try await farUnits(of: [track], onAt: range.start, before: first, patience: Self.patience)
        else {
            throw EngineError(.unavailable, "the search for long cues before segment \(index) is not finished")
        }
        var found = CueList()
        for unit in far + Array(first...last) {
            await waitForPlan(of: unit, [track])
            await waitForRelief()
            found.set(try await read(unit, track), track: track.id, unit: unit)
            guard found.byteCount <= Self.byteLimit else { throw .tooManyCues(in: "segment \(index)") }
        }
        return found.cues(of: [track.id]).readable.filter { $0.overlaps(range) }
    }

    /// The script header of a track. Empty if the track is not a script.
    package func header(of track: SubtitleTrack) throws(EngineError) -> String {
        if let file = cues.file(track.id) { return file.scriptHeader }
        return try packets.decoder(of: track, demand).scriptHeader
    }

    /// The units in which reading a range begins. Waits until a growing plan extends to the range.
    ///
    /// - Returns: `nil` while the search for long cues is not finished.
    func beginning(
        of choice: [SubtitleTrack],
        in range: MediaTimeRange?
    ) async throws(EngineError) -> CueBeginning? {
        guard let range else { return CueBeginning() }
        await wait {
            let units = demand.units
            return units.plan.isComplete || units.count > 0 && units.start(of: units.count - 1) > range.start
        }
        try requireRunning()
        let embedded = choice.filter { cues.file($0.id) == nil }
        let first = demand.firstUnit(before: range.start, embedded)
        let far = try await farUnits(of: embedded, onAt: range.start, before: first, patience: Self.stepPatience)
        return far.map { CueBeginning(far: $0, first: first) }
    }

    /// Reads step number `index` of a range: the cues of one unit. Waits until a growing plan extends to the unit.
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
        try requireRunning()
        guard unit < demand.units.count else { return nil }
        if let range, demand.units.start(of: unit) - Self.disorder > range.end { return nil }
        await waitForRelief()
        var step = CueStep()
        for track in choice {
            if let file = cues.file(track.id) {
                if index == 0 { step.cues += file.cues }
            } else {
                step.cues += try await read(unit, track)
            }
        }
        let units = demand.units
        step.settled = units.start(of: unit) - Self.disorder
        let last = range.flatMap { units.unit(at: $0.end + Self.disorder) } ?? max(units.count - 1, unit)
        step.progress = Double(index + 1) / Double(max(1, far.count + last - first + 1))
        return step
    }

    /// Waits until the plan extends as far as decoding a unit requires, or is complete.
    private func waitForPlan(of unit: Int, _ tracks: [SubtitleTrack]) async {
        await wait {
            let isReached = unit < demand.units.count && tracks.allSatisfy { demand.lastUnit(for: unit, $0) != nil }
            return isReached || demand.units.plan.isComplete
        }
    }

    /// The units before `unit` with cues that may be on screen at `time` although they began long before, in order. The
    /// result depends only on the source.
    ///
    /// - Returns: `nil` while the search for long cues is not finished.
    private func farUnits(
        of tracks: [SubtitleTrack],
        onAt time: MediaTime,
        before unit: Int,
        patience: Duration
    ) async throws(EngineError) -> [Int]? {
        let deadline = Deadline(in: patience)
        while !packets.isSearched(tracks, before: unit, demand.units) {
            try requireRunning()
            guard !deadline.hasPassed else { return nil }
            await waitForRelief()
            try packets.search(demand)
            await Task.yield()
        }
        var found = Set(packets.longUnits(of: tracks, onAt: time, before: unit, demand.units))
        for track in tracks where demand.needsLookingBack(track) {
            let near = (unit...max(unit, demand.units.unit(at: time) ?? unit)).reversed()
            for place in near + demand.unitsBack(of: track, before: unit, at: time) {
                await waitForRelief()
                let cues = try await read(place, track)
                if place < unit { found.insert(place) }
                if cues.contains(where: { $0.start <= time }) { break }
            }
        }
        return found.sorted()
    }
}
