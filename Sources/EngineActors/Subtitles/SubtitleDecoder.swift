// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
internal import EngineRuntime
package import Packaging
package import Reading

/// Decodes the subtitle cues of a session, from packets that playback reads anyway and from packets that it reads
/// itself.
///
/// Never touches playback's demuxers, and waits while playback is short of data. Owned by its session; called by the
/// session, by cue requests and by the segment producer. Runs on its own thread, at low priority.
package actor SubtitleDecoder {
    /// The cues around the playhead.
    package struct Window: Sendable {
        package var cues: [Cue] = []
        /// Why some cues are missing.
        package var trouble: EngineError?
        /// Whether cues are left out because there are more than the limit.
        package var isCut = false
    }

    /// Limit of the cue list in memory. Evicted units are read again when they are needed.
    package static let byteLimit = 48 << 20

    private let executor = ThreadExecutor(name: "subtitles", niceness: 5)
    nonisolated let interruptFlag = InterruptFlag()
    let source: OpenedSource
    /// The tracks of the source. Sidecar tracks are in `wholes`.
    private(set) var tracks: [SubtitleTrack]
    let pressure: PlaybackPressure
    /// Signals that captions have arrived, or that the playhead has moved.
    let arrivals = ChangeSignal()
    private let onWindow: @Sendable (Window) -> Void
    var units: SubtitleUnits
    var list = CueList()
    /// By track: units with more cues than the limit.
    var cut: [Int: Set<Int>] = [:]
    /// Whether the cues around the playhead exceed the limit.
    private var isOverfull = false
    /// Tracks decoded as a whole, without units: sidecar files.
    private var wholes: [Int: (cues: [Cue], scriptHeader: String)] = [:]
    var reader: UnitReader?
    var packets = PacketStore()
    /// The captions in the pictures of the served video, by segment.
    var captions = PacketStore()
    /// Reads the captions that playback has not delivered. Opened on first use.
    var pictures: Demuxer?
    /// `nil` until long cues are first looked for.
    var spans: SubtitleSpans?
    /// The tracks being shown.
    private(set) var selected: Set<Int> = []
    private(set) var playhead = MediaTime.zero
    /// Whether the whole window is filled at once, as after a seek. Otherwise playback delivers most of it.
    var isEager = true
    private var filling: Task<Void, Never>?
    private var trouble: EngineError?
    var isStopped = false
    var planWaiters: [CheckedContinuation<Void, Never>] = []

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    /// - Parameter onWindow: called on the decoder's executor after every change around the playhead.
    package init(
        source: OpenedSource,
        plan: SegmentPlan,
        pressure: PlaybackPressure,
        onWindow: @escaping @Sendable (Window) -> Void
    ) {
        self.source = source
        tracks = source.media.subtitleTracks
        self.pressure = pressure
        self.onWindow = onWindow
        units = SubtitleUnits(source, plan)
    }

    deinit { interruptFlag.raise() }

    // MARK: Input from playback

    /// Takes a longer plan. The boundaries of the earlier plan are unchanged in it.
    package func extend(_ plan: SegmentPlan) {
        units = SubtitleUnits(source, plan)
        resumePlanWaiters()
        fill()
    }

    /// Adds tracks that the source does not announce. Known tracks stay.
    package func list(_ more: [SubtitleTrack]) {
        tracks += more.filter { track in !tracks.contains { $0.id == track.id } }
    }

    /// Changes which tracks are shown.
    package func select(_ ids: Set<Int>) {
        selected = ids
        isEager = true
        publish()
        fill()
    }

    /// Reports that the playhead has entered another segment.
    ///
    /// - Parameter isJump: whether the playhead jumped, as in a seek, instead of playing on.
    package func move(to time: MediaTime, isJump: Bool) {
        playhead = time
        arrivals.signal()
        isEager = isEager || isJump
        publish()
        fill()
    }

    /// Takes packets that playback has read, so the decoder need not read them again.
    package func harvest(_ found: HarvestedPackets) {
        guard !isStopped, found.segment < units.count else { return }
        guard found.streams != [source.lead.stream.index] else { return harvestCaptions(found) }
        packets.set(found.packets, of: found.segment, streams: found.streams)
        // Decoding errors are ignored here: a request for these cues fails with the same error.
        for track in embedded(selected) where track.stream.map(found.streams.contains) ?? false {
            guard !list.has(track: track.id, unit: found.segment), let span = try? span(of: found.segment, track)
            else { continue }
            try? decode(found.segment, track, span)
        }
        publish()
    }

    /// Sets the cues of a whole sidecar file, in order.
    package func install(_ cues: [Cue], scriptHeader: String = "", track: Int) {
        wholes[track] = (cues, scriptHeader)
        publish()
    }

    /// Removes the cues of a sidecar file.
    package func uninstall(track: Int) {
        wholes[track] = nil
        publish()
    }

    package func stop() {
        isStopped = true
        interruptFlag.raise()
        filling?.cancel()
        arrivals.signal()
        resumePlanWaiters()
        reader = nil
        pictures?.interrupt()
        pictures = nil
    }

    /// Makes the current read and every later one return at once. Safe from any thread.
    package nonisolated func interrupt() { interruptFlag.raise() }

    func resumePlanWaiters() {
        for waiter in planWaiters { waiter.resume() }
        planWaiters = []
    }

    // MARK: The window

    private func fill() {
        guard filling == nil, !isStopped, nextMissing() != nil || isSeekingSpans else { return }
        filling = Task { await self.runFill() }
    }

    private func runFill() async {
        defer { filling = nil }
        // A unit that is missing again after it was read has been evicted to make room for others: the cues around the
        // playhead exceed the limit.
        var (read, place, tracks) = (Set<Int>(), playhead, selected)
        var patience = Self.captionPatience
        while !Task.isCancelled, !isStopped {
            let missing = nextMissing()
            guard missing != nil || isSeekingSpans else { break }
            if place != playhead || tracks != selected { (read, place, tracks) = ([], playhead, selected) }
            if let missing, !read.insert(missing.unit).inserted {
                isOverfull = true
                publish()
                break
            }
            await giveWay()
            if let missing { await waitForCaptions(of: missing.unit, missing.tracks, &patience) }
            guard !isStopped else { return }
            do throws(EngineError) {
                if let missing {
                    for track in missing.tracks { try await ensure(missing.unit, track) }
                } else {
                    try stepSpans()
                }
                trouble = nil
            } catch {
                // The next move or selection tries again.
                trouble = error
                publish()
                return
            }
            publish()
            await Task.yield()
        }
        isEager = false
    }

    /// Waits while playback is short of data, but for one second at most.
    func giveWay() async { await pressure.waitForRelief(atMost: 1_000_000_000) }

    func publish() {
        var cues: [Cue] = []
        if let window = window(behind: Self.longBehind, ahead: Self.ahead) {
            cues = list.cues(of: selected, in: window, and: Set(farUnits(before: window) + knownUnitsBack))
        }
        let beside = selected.sorted().flatMap { wholes[$0]?.cues ?? [] }
        if !beside.isEmpty {
            let range = MediaTimeRange(start: playhead - Self.longBehind, end: playhead + Self.ahead)
            cues = CueList.merged(cues, beside.filter { $0.overlaps(range) })
        }
        onWindow(Window(cues: cues, trouble: trouble, isCut: isOverfull || !cut.isEmpty))
    }

    // MARK: Units

    func embedded(_ ids: Set<Int>) -> [SubtitleTrack] {
        tracks.filter { ids.contains($0.id) }
    }

    func whole(_ track: Int) -> [Cue]? { wholes[track]?.cues }

    func wholeHeader(_ track: Int) -> String? { wholes[track]?.scriptHeader }

    /// Makes sure that the list has the cues of one unit of one track.
    func ensure(_ unit: Int, _ track: SubtitleTrack) async throws(EngineError) {
        guard !isStopped else { throw EngineError(.cancelled, "the session was stopped") }
        guard !list.has(track: track.id, unit: unit) else { return }
        let span = try span(of: unit, track)
        if isAlongside(track) {
            let found = try await captions(of: span)
            guard !isStopped else { throw EngineError(.cancelled, "the session was stopped") }
            try decode(unit, track, span, found)
        } else {
            try decode(unit, track, span)
        }
    }
}
