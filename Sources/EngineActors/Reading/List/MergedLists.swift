// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// The lists of a source, merged from all loads so far. Pure; times are nanoseconds of CLOCK_MONOTONIC.
struct MergedLists: Sendable {
    /// The first part leads.
    private(set) var parts: [ListPart]
    /// When the newest segments were listed. `nil` for a list that was complete when it was opened, or that has ended.
    private(set) var progress: LiveProgress?
    /// The longest time for which parts are assumed to have been recorded when the load that lists them arrives,
    /// however many the playlist lists.
    private static let longestAge = MediaTime.seconds(60)

    private let path: String
    /// The parts, with what is needed to merge later loads. Empty if the list was complete when it was opened.
    private var followed: [FollowedList] = []
    /// The lists that `move` has placed on the timeline.
    private var moved: Set<Int> = []
    /// By list that does not slide: how much later its media is than its playlist implies.
    private var lags: [Int: MediaTime] = [:]
    /// Notices that `takeNotices` has not returned yet.
    private var notices: [Notice] = []
    /// The segment of the leading list that is not complete, as far as it was announced to players.
    private var announced: (index: Int, entry: SegmentList.Entry)?

    /// - Parameters:
    ///   - path: as `ByteSource.path`.
    ///   - announced: how many segments an earlier process may have announced. The indices and the timeline of sliding
    ///     lists continue after those.
    init(_ content: ListContent, path: String, after announced: Int = 0, now: Int64) {
        self.path = path
        parts = content.parts
        if let playlist = content.growing {
            followed = content.parts.map { part in
                let earlier =
                    part.list.slides && announced > 0
                    ? FollowedList.EarlierSegments(count: announced, duration: playlist.targetDuration) : nil
                return FollowedList(part.list, part.playlist ?? playlist, after: earlier, now: now)
            }
            publish()
            let reserve = HLSJoin.reserve(of: playlist)
            progress = LiveProgress(
                targetLatency: reserve == nil ? HLSJoin.holdBack(of: playlist) : nil,
                reserve: reserve
            )
            noteProgress(by: playlist, at: now)
        }
        for place in parts.indices { parts[place].playlist = nil }
    }

    // MARK: Loads

    /// Merges a later load of a growing list. A list does not change if the load has an older version of it, e.g. from
    /// a cache, or lacks it.
    ///
    /// - Returns: whether segments were added.
    /// - Throws: `sourceChanged` if the load has other lists, `sourceEncrypted` if new segments cannot be decrypted.
    mutating func take(_ content: ListContent, now: Int64) throws(EngineError) -> Bool {
        // As published: the segments of a variant that has just joined are new.
        let known = segmentCounts
        var leadRestarted = false
        for (place, playlist) in try playlists(of: content) {
            let announced = place == 0 && hasAnnouncedParts ? self.announced?.entry : nil
            let restart = try followed[place].take(playlist, name: path, keeping: announced, now: now)
            guard let first = restart else { continue }
            leadRestarted = leadRestarted || place == 0
            // Only this list has missed segments. All lists end at about the same time, so leave a hole of that length.
            if !leadRestarted { followed[place].move(from: first, endingAt: followed[0].list.duration) }
        }
        publish()
        let isNew = segmentCounts != known
        if isNew { noteProgress(by: content.growing, at: now) }
        if content.growing == nil { progress = nil }
        return isNew
    }

    /// Merges a load whose leading playlist is that of another variant. Changes nothing unless it returns `joined`.
    ///
    /// - Parameter limit: as for `FollowedList.join`.
    /// - Throws: as `take`.
    mutating func join(_ content: ListContent, limit: MediaTime, now: Int64) throws(EngineError) -> FollowedList.Join {
        guard let playlist = content.parts.first?.playlist, !followed.isEmpty else { throw Self.changed(path) }
        let outcome = try followed[0].join(playlist, name: path, limit: limit, now: now)
        // The leading playlist has nothing more to add.
        if outcome == .joined { _ = try take(content, now: now) }
        return outcome
    }

    /// Replaces the URLs of segments with newly signed ones from a load.
    mutating func rename(by content: ListContent) throws(EngineError) {
        for (place, playlist) in try playlists(of: content) { try followed[place].rename(by: playlist, name: path) }
        publish()
    }

    /// Replaces complete lists with those of another load, which differ only in their URLs.
    mutating func replace(by content: ListContent) {
        let entrance = parts[0].list.entrance
        parts = content.parts
        parts[0].list.enter(at: entrance)
    }

    /// The playlists of a load, each with the index of its list in `parts`. The order of the lists after the leading
    /// one may differ from load to load, and some may be missing.
    private func playlists(of content: ListContent) throws(EngineError) -> [(Int, HLSMediaPlaylist)] {
        guard !content.parts.isEmpty, !followed.isEmpty else { throw Self.changed(path) }
        var open = Array(parts.indices)
        var found: [(Int, HLSMediaPlaylist)] = []
        for (index, part) in content.parts.enumerated() {
            let place = open.firstIndex { place in
                place == 0
                    ? index == 0
                    : index > 0 && parts[place].kind == part.kind && parts[place].rendition == part.rendition
            }
            guard let place else { throw Self.changed(path) }
            if let playlist = part.playlist { found.append((open[place], playlist)) }
            open.remove(at: place)
        }
        return found
    }

    static func changed(_ path: String) -> EngineError {
        EngineError(.sourceChanged, "\(path) no longer lists the same playlists or segments")
    }

    private var segmentCounts: [Int] { parts.map(\.list.segments.count) }

    private mutating func publish() { for place in followed.indices { parts[place].list = followed[place].list } }

    /// - Parameter playlist: the leading playlist, as just loaded. The parts that it lists were recorded after its last
    ///   segment.
    private mutating func noteProgress(by playlist: HLSMediaPlaylist?, at now: Int64) {
        let age = min(playlist?.partDuration ?? .zero, Self.longestAge)
        progress?.monotonicNanoseconds = now - age.microseconds * 1000
        progress?.wallClock = followed.first?.date?.microseconds
        progress?.newest = parts[0].list.duration
    }

    /// Treats the lists as complete, even if their playlists have no end.
    mutating func end() {
        progress = nil
        guard hasAnnouncedParts, let announced else { return }
        followed[0].close(announced.entry)
        publish()
    }

    // MARK: Parts

    /// Notes that parts of the segment of the leading list that is not complete were announced to players: the segment
    /// keeps them.
    mutating func announce(_ entry: SegmentList.Entry, ofSegment index: Int) { announced = (index, entry) }

    /// Whether parts of the segment after the last one of the leading list were announced.
    var hasAnnouncedParts: Bool { announced.map { $0.index == followed.first?.list.segments.count } ?? false }

    /// Whether the latest load of a list listed something new, and parts of a segment that is not complete.
    var hasNewParts: Bool { followed.contains(where: \.hasNewParts) }

    /// What each list of media has now.
    var listed: [SegmentParts.Listed] {
        followed.indices.compactMap { place in
            guard parts[place].kind == .media, !followed[place].list.segments.isEmpty else { return nil }
            let last = followed[place].list.segments.count - 1
            return SegmentParts.Listed(
                list: place,
                newest: (last, followed[place].list.segments[last]),
                open: followed[place].open
            )
        }
    }

    // MARK: Places on the timeline

    /// Makes reading enter the leading list at a segment.
    mutating func enter(at index: Int) {
        guard !followed.isEmpty else { return parts[0].list.enter(at: index) }
        followed[0].enter(at: index)
        publish()
    }

    /// Places the media of a list `distance` later than its playlist implies. A list that slides is moved; any other keeps its
    /// place, and only `reach` changes. Only the first call for a list has an effect.
    mutating func move(_ list: Int, by distance: MediaTime) {
        guard followed.indices.contains(list), moved.insert(list).inserted else { return }
        guard parts[list].list.slides else {
            lags[list] = distance
            return
        }
        followed[list].move(by: distance)
        publish()
    }

    /// Whether `move` was called for a list, or is not needed for it.
    func isPlaced(_ list: Int) -> Bool {
        !followed.indices.contains(list) || parts[list].kind == .text || moved.contains(list)
    }

    /// The time up to which all lists of media beside the leading one have media. `nil` if there are none.
    var reach: MediaTime? {
        let others = parts.indices.dropFirst().filter { parts[$0].kind == .media }
        return others.map { parts[$0].list.duration + (lags[$0] ?? .zero) }.min()
    }

    // MARK: Faults

    /// Marks the media of a segment as missing for good.
    mutating func lose(_ index: Int, of list: Int, because error: EngineError) {
        guard followed.indices.contains(list) else { return }
        followed[list].lose(index)
        publish()
        let text = "segment \(index) of \(path) is lost and skipped: \(error)"
        notices.append(Notice(.warning, "live.segment_lost", text))
    }

    /// Notes whether a media list has stalled (`FollowedList.isStalled`).
    ///
    /// - Returns: whether the source has just stalled or resumed.
    mutating func noteStall(at now: Int64) -> Bool {
        guard let progress else { return false }
        let stalled = followed.indices.first { parts[$0].kind == .media && followed[$0].isStalled(at: now) }
        guard (stalled != nil) != progress.isStalled else { return false }
        self.progress?.isStalled = stalled != nil
        guard let stalled else {
            notices.append(Notice(.info, "live.ingest_resumed", "the playlist \(path) has new segments again"))
            return true
        }
        let name = parts[stalled].rendition?.name ?? ""
        let list = stalled == 0 ? "the playlist \(path)" : "the playlist of the audio \"\(name)\" of \(path)"
        let silence = (now - followed[stalled].lastProgress) / 1_000_000_000
        let text = "\(list) has had nothing new for \(silence) s; the engine keeps loading it"
        notices.append(Notice(.warning, "live.ingest_stalled", text))
        return true
    }

    /// Adds a notice to those that `takeNotices` returns.
    mutating func add(_ notice: Notice) { notices.append(notice) }

    /// Takes the messages in the media of a segment of the leading list.
    mutating func note(_ splices: [StreamReception.Splice], of segment: Int) {
        if !followed.isEmpty { followed[0].note(splices, of: segment) }
    }

    /// Returns the notices that have accumulated since the last call.
    mutating func takeNotices() -> [Notice] {
        defer { notices = [] }
        // A change that affects all lists is reported once.
        for place in followed.indices {
            for notice in followed[place].takeNotices() where !notices.contains(notice) { notices.append(notice) }
        }
        return notices
    }
}
