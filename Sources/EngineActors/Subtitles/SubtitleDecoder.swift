// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
internal import EngineRuntime
package import Packaging

/// Makes the cues of a session: of the packets that come along while playback reads, and of what it reads itself.
///
/// Never touches playback's demuxers, and waits while playback waits. Owned by its session; called by it, by those who ask
/// for cues and by the producer. Its thread gives way to all others.
package actor SubtitleDecoder {
    /// The cues around the playhead.
    package struct Window: Sendable {
        package var cues: [Cue] = []
        /// Why some are missing.
        package var trouble: EngineError?
    }

    /// What the list may hold; units far from the playhead are read again when they are asked for.
    static let byteLimit = 48 << 20

    private let executor = ThreadExecutor(name: "subtitles", niceness: 5)
    nonisolated let interruptFlag = InterruptFlag()
    let source: OpenedSource
    /// The tracks that are streams of the source.
    private(set) var tracks: [SubtitleTrack]
    let pressure: PlaybackPressure
    private let onWindow: @Sendable (Window) -> Void
    var units: SubtitleUnits
    var list = CueList()
    /// Whole tracks that no unit is read of: files beside the source.
    private var wholes: [Int: (cues: [Cue], scriptHeader: String)] = [:]
    var reader: UnitReader?
    var packets = PacketStore()
    /// `nil` until they are asked for.
    var spans: SubtitleSpans?
    /// The tracks that are shown.
    private(set) var selected: Set<Int> = []
    private(set) var playhead = MediaTime.zero
    /// Whether the whole window is filled at once, as after a seek; else playback brings most of it.
    var isEager = true
    private var filling: Task<Void, Never>?
    private var trouble: EngineError?
    var isStopped = false
    var planWaiters: [CheckedContinuation<Void, Never>] = []

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    /// - Parameter onWindow: called after every change around the playhead, from the decoder's executor.
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

    // MARK: What playback says

    /// Takes a longer plan. What an earlier one announced stays as it was.
    package func extend(_ plan: SegmentPlan) {
        units = SubtitleUnits(source, plan)
        resumePlanWaiters()
        fill()
    }

    /// There may be more tracks than the source announces.
    package func list(_ known: [SubtitleTrack]) { tracks = known }

    /// Other tracks are shown from now on.
    package func select(_ ids: Set<Int>) {
        selected = ids
        isEager = true
        publish()
        fill()
    }

    /// The playhead has come into another segment.
    ///
    /// - Parameter isJump: whether it did not simply play on.
    package func move(to time: MediaTime, isJump: Bool) {
        playhead = time
        isEager = isEager || isJump
        publish()
        fill()
    }

    /// Takes packets that came along. What playback brings need not be read again.
    package func harvest(_ found: HarvestedPackets) {
        guard !isStopped, found.segment < units.count else { return }
        packets.set(found.packets, of: found.segment, streams: found.streams)
        // What cannot be decoded here is told to whoever asks for it.
        for track in embedded(selected) where track.stream.map(found.streams.contains) ?? false {
            guard !list.has(track: track.id, unit: found.segment) else { continue }
            try? decode(found.segment, track)
        }
        publish()
    }

    /// The cues of a whole file beside the source, in its order.
    package func install(_ cues: [Cue], scriptHeader: String = "", track: Int) {
        wholes[track] = (cues, scriptHeader)
        publish()
    }

    /// A file beside the source is gone.
    package func uninstall(track: Int) {
        wholes[track] = nil
        publish()
    }

    package func stop() {
        isStopped = true
        interruptFlag.raise()
        filling?.cancel()
        resumePlanWaiters()
        reader = nil
    }

    /// Makes a running read return at once, and every later one. Safe from any thread.
    package nonisolated func interrupt() { interruptFlag.raise() }

    func resumePlanWaiters() {
        for waiter in planWaiters { waiter.resume() }
        planWaiters = []
    }

    // MARK: The window

    /// Cues that came this long ago, and are known, are still on where they last that long.
    private static let longBehind = MediaTime.seconds(180)
    private static let ahead = MediaTime.seconds(60)
    /// Playback reads about half a minute ahead; what it has not brought by then is read here.
    private static let aheadOfHarvest = MediaTime.seconds(16)

    private func window(behind: MediaTime? = nil, ahead: MediaTime) -> ClosedRange<Int>? {
        let behind = behind ?? usualLength(of: embedded(selected))
        return units.units(from: playhead - behind, to: playhead + ahead)
    }

    /// The units before the window that hold what is on for long.
    private func farUnits(before window: ClosedRange<Int>) -> [Int] {
        embedded(selected).flatMap { track in
            spans?.units(of: track, onAt: playhead, before: window.lowerBound, units) ?? []
        }
    }

    /// Whether it is still to be found out what is on for long.
    private var isSeekingSpans: Bool {
        let tracks = embedded(selected)
        guard !tracks.isEmpty, let window = window(ahead: Self.ahead) else { return false }
        return !areSpansKnown(tracks, before: window.lowerBound)
    }

    /// What is missing around the playhead: from there on first, then what is behind it, and what is on from long before.
    private func nextMissing() -> Int? {
        let tracks = embedded(selected)
        let isLazy = source.container.isMatroska && !isEager
        guard !tracks.isEmpty, let window = window(ahead: isLazy ? Self.aheadOfHarvest : Self.ahead),
            let now = units.unit(at: playhead)
        else { return nil }
        let order =
            Array(max(now, window.lowerBound)...window.upperBound) + (window.lowerBound..<now).reversed()
            + farUnits(before: window).reversed()
        return order.first { unit in
            tracks.contains { !list.has(track: $0.id, unit: unit) && lastUnit(for: unit, $0) != nil }
        }
    }

    private func fill() {
        guard filling == nil, !isStopped, nextMissing() != nil || isSeekingSpans else { return }
        filling = Task { await self.runFill() }
    }

    private func runFill() async {
        defer { filling = nil }
        // A unit that was read and is missing again was given up for others: there is no room for more around this place.
        var (read, place, tracks) = (Set<Int>(), playhead, selected)
        while !Task.isCancelled, !isStopped {
            let missing = nextMissing()
            guard missing != nil || isSeekingSpans else { break }
            if place != playhead || tracks != selected { (read, place, tracks) = ([], playhead, selected) }
            if let missing { guard read.insert(missing).inserted else { break } }
            await giveWay()
            guard !isStopped else { return }
            do throws(EngineError) {
                if let missing {
                    for track in embedded(selected) where lastUnit(for: missing, track) != nil {
                        try ensure(missing, track)
                    }
                } else {
                    try stepSpans()
                }
                trouble = nil
            } catch {
                // A move or a selection tries again.
                trouble = error
                publish()
                return
            }
            publish()
            await Task.yield()
        }
        isEager = false
    }

    /// Waits while playback waits, but not for ever.
    func giveWay() async {
        var patience = 50
        while pressure.isUp, patience > 0, !isStopped {
            patience -= 1
            try? await Task.sleep(for: .milliseconds(20))  // Cancelled: whoever waits looks at that.
        }
    }

    private func publish() {
        var cues: [Cue] = []
        if let window = window(behind: Self.longBehind, ahead: Self.ahead) {
            cues = list.cues(of: selected, in: window, and: Set(farUnits(before: window)))
        }
        let beside = selected.sorted().flatMap { wholes[$0]?.cues ?? [] }
        if !beside.isEmpty {
            let range = MediaTimeRange(start: playhead - Self.longBehind, end: playhead + Self.ahead)
            cues = CueList.merged(cues, beside.filter { $0.overlaps(range) })
        }
        onWindow(Window(cues: cues, trouble: trouble))
    }

    // MARK: Units

    func embedded(_ ids: Set<Int>) -> [SubtitleTrack] {
        tracks.filter { ids.contains($0.id) }
    }

    func whole(_ track: Int) -> [Cue]? { wholes[track]?.cues }

    func wholeHeader(_ track: Int) -> String? { wholes[track]?.scriptHeader }

    /// Has the cues of one unit of one track in the list.
    func ensure(_ unit: Int, _ track: SubtitleTrack) throws(EngineError) {
        guard !isStopped else { throw EngineError(.cancelled, "the session was stopped") }
        if !list.has(track: track.id, unit: unit) { try decode(unit, track) }
    }
}
