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
        /// Whether some are left out, because there are more than are kept.
        package var isCut = false
    }

    /// What the list may hold, whatever comes; units far from the playhead are read again when they are asked for.
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
    /// By track: units that have more than may be held.
    var cut: [Int: Set<Int>] = [:]
    /// Whether what is around the playhead is more than may be held.
    private var isOverfull = false
    /// Whole tracks that no unit is read of: files beside the source.
    private var wholes: [Int: (cues: [Cue], scriptHeader: String)] = [:]
    var reader: UnitReader?
    var packets = PacketStore()
    /// The captions within the pictures that playback is made of, by segment.
    var captions = PacketStore()
    /// What reads those that playback has not brought along. Opened when it is needed.
    var pictures: Demuxer?
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

    /// There may be more tracks than the source announces. What is known already stays.
    package func list(_ more: [SubtitleTrack]) {
        tracks += more.filter { track in !tracks.contains { $0.id == track.id } }
    }

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
        guard found.streams != [source.lead.stream.index] else { return harvestCaptions(found) }
        packets.set(found.packets, of: found.segment, streams: found.streams)
        // What cannot be decoded here is told to whoever asks for it.
        for track in embedded(selected) where track.stream.map(found.streams.contains) ?? false {
            guard !list.has(track: track.id, unit: found.segment), let span = try? span(of: found.segment, track)
            else { continue }
            try? decode(found.segment, track, span)
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
        pictures?.interrupt()
        pictures = nil
    }

    /// Makes a running read return at once, and every later one. Safe from any thread.
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
        // A unit that was read and is missing again was given up for others: there is no room for more around this place.
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

    /// Has the cues of one unit of one track in the list.
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
