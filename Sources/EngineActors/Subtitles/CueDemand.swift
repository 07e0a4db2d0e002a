// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging
internal import Reading

/// Decides which units of which tracks must be decoded around the playhead, and in which order. Pure.
struct CueDemand {
    /// The next step to complete the cues around the playhead.
    enum Step {
        case decode(unit: Int, tracks: [SubtitleTrack])
        /// Advance the search for cues that stay on screen for a long time.
        case search
    }

    /// How far before the playhead decoded units are searched for cues that are still on screen.
    private static let longBehind = MediaTime.seconds(180)
    private static let ahead = MediaTime.seconds(60)
    /// Playback reads about half a minute ahead. Within this distance, the decoder itself reads what playback has not
    /// delivered.
    private static let aheadOfHarvest = MediaTime.seconds(16)
    private static let aheadOfCaptions = MediaTime.seconds(4)
    /// How far back to look for a bitmap that is on screen. Real sources show no bitmap for longer. If a track is empty
    /// for minutes, the bytes that a seek reads are limited to 256 MiB.
    private static let farthestBack = MediaTime.seconds(600)
    private static let farthestBytes: Int64 = 256 << 20

    private let source: OpenedSource
    private(set) var units: SubtitleUnits
    /// The tracks of the source, without those of sidecar files.
    private(set) var tracks: [SubtitleTrack]
    /// The ids of the tracks being shown, including sidecar tracks.
    private(set) var selected: Set<Int> = []
    private(set) var playhead = MediaTime.zero
    /// Whether the decoder must fill the whole window, as after a seek. Otherwise playback delivers most of it.
    private var isEager = true
    /// Tracks that could not be decoded since the last move or selection.
    private var givenUp: Set<Int> = []

    init(_ source: OpenedSource, _ plan: SegmentPlan) {
        self.source = source
        units = SubtitleUnits(source, plan)
        tracks = source.media.subtitleTracks
    }

    /// The tracks of the source that are being shown.
    var shown: [SubtitleTrack] { tracks.filter { selected.contains($0.id) } }

    /// The streams to read for the shown tracks. Captions in the video that playback serves are read separately.
    var streams: Set<Int> { Set(shown.filter { !units.lead.carries($0) }.compactMap(\.stream)) }

    // MARK: Input

    mutating func extend(_ plan: SegmentPlan) { units = SubtitleUnits(source, plan) }

    mutating func add(_ more: [SubtitleTrack]) {
        tracks += more.filter { track in !tracks.contains { $0.id == track.id } }
    }

    mutating func select(_ ids: Set<Int>) {
        givenUp = []
        selected = ids
        isEager = true
    }

    mutating func move(to time: MediaTime, isJump: Bool) {
        givenUp = []
        playhead = time
        isEager = isEager || isJump
    }

    /// Skips a track until the next move or selection.
    mutating func giveUp(_ track: Int) { givenUp.insert(track) }

    /// The tracks that are shown and have not been given up.
    private var wanted: [SubtitleTrack] { shown.filter { !givenUp.contains($0.id) } }

    /// The window has been filled.
    mutating func settle() { isEager = false }

    // MARK: One unit

    /// The last unit that must be read to decode a unit of a track. `nil` while the plan does not extend that far.
    func lastUnit(for unit: Int, _ track: SubtitleTrack) -> Int? {
        let postroll = CueDecoderCatalog.postroll(of: track)
        guard postroll > .zero else { return unit }
        guard let end = units.endTime(of: unit) else { return units.plan.isComplete ? unit : nil }
        // While the plan grows, the last unit also stands for everything after it.
        if let last = units.unit(at: end + postroll), last < units.count - 1 { return last }
        return units.plan.isComplete ? max(unit, units.count - 1) : nil
    }

    /// The units whose packets are needed to decode one unit: its preroll, the unit and its postroll. `nil` while the
    /// plan does not extend that far.
    func span(of unit: Int, _ track: SubtitleTrack) -> ClosedRange<Int>? {
        guard let last = lastUnit(for: unit, track) else { return nil }
        let preroll = CueDecoderCatalog.preroll(of: track)
        let first = preroll == .zero ? unit : units.unit(at: units.start(of: unit) - preroll) ?? unit
        return min(first, unit)...last
    }

    /// The units with captions that are needed for `unit` and that playback has yet to read: those from the playhead
    /// on. `nil` if there are none.
    func awaitedCaptions(for unit: Int, _ track: SubtitleTrack) -> ClosedRange<Int>? {
        guard let span = span(of: unit, track), let now = units.unit(at: playhead), span.upperBound >= now
        else { return nil }
        return max(now, span.lowerBound)...span.upperBound
    }

    /// The unit at which reading must start to find every cue of usual length that is on screen at a time.
    func firstUnit(before time: MediaTime, _ tracks: [SubtitleTrack]) -> Int {
        units.unit(at: time - Self.usualLength(of: tracks)) ?? 0
    }

    // MARK: Around the playhead

    /// The units with the cues around the playhead: a range, and earlier units whose cues are still on screen.
    ///
    /// - Parameter long: returns the units, before a given one, in which long cues start that are on screen at the
    ///   playhead.
    func window(_ cues: DecodedCues, long: (_ before: Int) -> [Int]) -> (near: ClosedRange<Int>, far: Set<Int>)? {
        guard let near = window(behind: Self.longBehind, ahead: Self.ahead) else { return nil }
        let back = shown.flatMap { unitsBack(of: $0, cues).known }
        return (near, Set(long(near.lowerBound) + back))
    }

    /// The part of the timeline from which cues of sidecar files are taken.
    var range: MediaTimeRange { MediaTimeRange(start: playhead - Self.longBehind, end: playhead + Self.ahead) }

    /// The next step to complete the cues around the playhead: first units from the playhead on, then units before it,
    /// then units with long cues, then bitmaps that may be on screen for unusually long, and last the search for long
    /// cues. `nil` when nothing is missing.
    ///
    /// - Parameters:
    ///   - long: as in `window`.
    ///   - isSearched: whether all long cues of the tracks before a unit are known.
    func next(
        _ cues: DecodedCues,
        long: (_ before: Int) -> [Int],
        isSearched: ([SubtitleTrack], _ before: Int) -> Bool
    ) -> Step? {
        if let missing = nextMissing(cues, long) { return .decode(unit: missing.unit, tracks: missing.tracks) }
        guard !wanted.isEmpty, let window = window(ahead: Self.ahead) else { return nil }
        return isSearched(wanted, window.lowerBound) ? nil : .search
    }

    private func nextMissing(_ cues: DecodedCues, _ long: (Int) -> [Int]) -> (unit: Int, tracks: [SubtitleTrack])? {
        let windows = wanted.compactMap { track in
            window(ahead: reach(of: track)).map { (track: track, range: $0) }
        }
        // Tracks differ in how far ahead they must be decoded.
        guard let window = windows.map(\.range).max(by: { $0.upperBound < $1.upperBound }),
            let now = units.unit(at: playhead)
        else { return nil }
        let order = Array(max(now, window.lowerBound)...window.upperBound) + (window.lowerBound..<now).reversed()
        for unit in order + long(window.lowerBound).reversed() {
            let missing = windows.filter { track, range in
                unit <= range.upperBound && !cues.has(unit, of: track.id) && lastUnit(for: unit, track) != nil
            }
            if !missing.isEmpty { return (unit, missing.map(\.track)) }
        }
        // All tracks for which the decoder looks back are read together.
        let tracks = wanted.filter(needsLookingBack)
        guard let unit = tracks.compactMap({ unitsBack(of: $0, cues).missing }).max() else { return nil }
        return (unit, tracks.filter { !cues.has(unit, of: $0.id) })
    }

    private func window(behind: MediaTime? = nil, ahead: MediaTime) -> ClosedRange<Int>? {
        let behind = behind ?? Self.usualLength(of: shown)
        return units.units(from: playhead - behind, to: playhead + ahead)
    }

    /// How far ahead of the playhead the cues of a track must be decoded.
    private func reach(of track: SubtitleTrack) -> MediaTime {
        // Decoding captions also needs the packets of the postroll.
        if units.lead.carries(track) { return isEager ? Self.aheadOfHarvest : Self.aheadOfCaptions }
        return source.container.isMatroska && !isEager ? Self.aheadOfHarvest : Self.ahead
    }

    /// How long before a moment to look for cues that are still on screen, apart from those known to be long.
    private static func usualLength(of tracks: [SubtitleTrack]) -> MediaTime {
        tracks.map(CueDecoderCatalog.usualLength(of:)).max() ?? .zero
    }

    // MARK: Looking back

    /// The units before `first` in which a bitmap that is on screen at `time` may start, latest first. They are read
    /// one at a time, back to the display set that is on screen, which may be an empty one. Empty for text, and for
    /// containers in which an index or a search finds the long cues.
    func unitsBack(of track: SubtitleTrack, before first: Int, at time: MediaTime) -> [Int] {
        let boundaries = units.plan.boundaries
        guard needsLookingBack(track), first > 0, first < boundaries.count else { return [] }
        return Array(
            (0..<first).reversed().prefix { unit in
                units.start(of: unit + 1) > time - Self.farthestBack
                    && boundaries[first].position &- boundaries[unit + 1].position < Self.farthestBytes
            }
        )
    }

    /// Whether the decoder reads backwards to find a bitmap that began long before a time.
    func needsLookingBack(_ track: SubtitleTrack) -> Bool {
        !track.isText && !source.container.isMatroska && !source.container.isMP4
    }

    /// The decoded units before the window that decide what is on screen at the playhead, latest first, and the unit
    /// that must be read next.
    private func unitsBack(of track: SubtitleTrack, _ cues: DecodedCues) -> (known: [Int], missing: Int?) {
        guard needsLookingBack(track), let near = window(ahead: .zero) else { return ([], nil) }
        for unit in near.reversed() {
            // The cues of a unit that has not been read may replace everything before them.
            guard let begins = cues.begins(by: playhead, in: unit, of: track.id) else { return ([], nil) }
            if begins { return ([], nil) }
        }
        var known: [Int] = []
        for unit in unitsBack(of: track, before: near.lowerBound, at: playhead) {
            guard let begins = cues.begins(by: playhead, in: unit, of: track.id) else { return (known, unit) }
            known.append(unit)
            if begins { break }
        }
        return (known, nil)
    }
}

extension PlayedTrack {
    /// Whether this track is the video that contains the captions of `track`, and is served in segments.
    func carries(_ track: SubtitleTrack) -> Bool { isServed && track.isWithinPictures && track.stream == stream.index }
}
