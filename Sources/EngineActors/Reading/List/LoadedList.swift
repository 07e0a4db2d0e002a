// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime
internal import Packaging

/// The lists of a source, as all loads so far describe them.
///
/// Thread-safety: safe. `grow`, `grows` and `reloadIfStale` block.
final class LoadedList: Sendable {
    private struct State {
        var parts: [ListPart]
        /// The same, with what is needed to merge later loads. Empty if the list was complete when it was opened.
        var followed: [FollowedList] = []
        /// The lists that `move` has placed on the timeline.
        var moved: Set<Int> = []
        /// When the list is loaded again. `nil` once it is complete.
        var follower: ListFollower?
        /// `nil` for a list that was complete when it was opened, and once it has ended.
        var progress: LiveProgress?
        /// Notices that `takeNews` has not returned yet.
        var news: [Notice] = []
        /// Whether `grow` keeps loading the list. Without it, readers would wait for more segments in vain.
        var isFollowed = false
        /// How often `refresh` was called.
        var refreshes = 0
        /// How many of these calls a load has followed.
        var followedRefreshes = 0

        mutating func publish() { for place in followed.indices { parts[place].list = followed[place].list } }
    }

    /// How often a reader at the end of a growing list looks for more segments, in nanoseconds.
    private static let lookInterval: Int64 = 200_000_000

    /// The target duration of the leading playlist when it was opened. `nil` if it was complete.
    let targetDuration: MediaTime?
    private let path: String
    private let digest: String
    /// Whether segments could follow when the list was opened.
    private let grew: Bool
    private let reload: @Sendable (ListLoad, InterruptFlag) throws(EngineError) -> ListContent
    private let state: Locked<State>

    /// - Parameters:
    ///   - path: as `ByteSource.path`.
    ///   - reload: fetches the list again.
    init(
        path: String,
        _ content: ListContent,
        reload: @escaping @Sendable (ListLoad, InterruptFlag) throws(EngineError) -> ListContent
    ) {
        self.path = path
        self.reload = reload
        digest = content.digest
        grew = content.growing != nil
        targetDuration = content.growing?.targetDuration
        var state = State(parts: content.parts)
        if let playlist = content.growing {
            let now = monotonicNanoseconds()
            state.followed = content.parts.map { FollowedList($0.list, $0.playlist ?? playlist, now: now) }
            state.follower = ListFollower(playlist)
            state.progress = LiveProgress(
                monotonicNanoseconds: now,
                targetLatency: HLSJoin.holdBack(of: playlist),
                wallClock: state.followed.first?.date?.microseconds
            )
        }
        for place in state.parts.indices { state.parts[place].playlist = nil }
        self.state = Locked(state)
    }

    /// The first part leads.
    var parts: [ListPart] { state.withLock(\.parts) }

    /// Whether `refresh` was called: the URLs may differ from those that the list was opened with.
    var wasRefreshed: Bool { state.withLock { $0.refreshes > 0 } }

    /// Requests that the list is fetched again before anything else, because its URLs may have been signed again.
    func refresh() { state.withLock { $0.refreshes += 1 } }

    /// Fetches the list again if `refresh` was called.
    ///
    /// - Throws: `sourceChanged` if a list that cannot grow differs from the one that was opened.
    func reloadIfStale(_ interrupt: InterruptFlag) throws(EngineError) {
        let due = state.withLock { $0.refreshes == $0.followedRefreshes ? nil : $0.refreshes }
        guard let due else { return }
        let content = try reload(.afresh, interrupt)
        guard grew else {
            guard content.digest == digest else { throw changed }
            return state.withLock { state in
                state.parts = content.parts
                state.followedRefreshes = max(due, state.followedRefreshes)
            }
        }
        try state.withLock { state throws(EngineError) in
            _ = try adopt(content, &state)
            for (place, part) in content.parts.enumerated() {
                if let playlist = part.playlist { try state.followed[place].rename(by: playlist, name: path) }
            }
            state.publish()
            state.followedRefreshes = max(due, state.followedRefreshes)
        }
    }

    /// Merges a later load of a growing list. An older version of it, e.g. from a cache, is ignored.
    ///
    /// - Returns: whether segments were added.
    private func adopt(_ content: ListContent, _ state: inout State) throws(EngineError) -> Bool {
        guard content.parts.count == state.followed.count, !content.parts.isEmpty else { throw changed }
        let count = state.parts.reduce(0) { $0 + $1.list.segments.count }
        let now = monotonicNanoseconds()
        for (place, part) in content.parts.enumerated() {
            guard let playlist = part.playlist else { continue }
            try state.followed[place].take(playlist, name: path, now: now)
        }
        state.publish()
        let isNew = state.parts.reduce(0) { $0 + $1.list.segments.count } > count
        if isNew {
            state.progress?.monotonicNanoseconds = now
            state.progress?.wallClock = state.followed[0].date?.microseconds
        }
        if content.growing == nil { (state.follower, state.progress) = (nil, nil) }
        return isNew
    }

    private var changed: EngineError { EngineError(.sourceChanged, "\(path) lists other segments than before") }

    /// Lets the indices and the timeline of sliding lists continue behind those of an earlier process. Call it before
    /// anything is read.
    ///
    /// - Parameter count: how many segments that process may have announced.
    func resume(after count: Int) {
        guard let targetDuration, count > 0 else { return }
        state.withLock { state in
            for place in state.followed.indices where state.followed[place].list.slides {
                state.followed[place].follow(count, of: targetDuration)
            }
            state.publish()
        }
    }

    /// Places a sliding list on the timeline as its own segments state. Only the first call for a list has an effect;
    /// it must come before anything of the list is read.
    ///
    /// - Parameter distance: how much later the list lies than its playlist says.
    func move(_ list: Int, by distance: MediaTime) {
        state.withLock { state in
            guard state.followed.indices.contains(list), !state.moved.contains(list) else { return }
            state.moved.insert(list)
            state.followed[list].move(by: distance)
            state.publish()
        }
    }

    /// Whether `move` was called for a list, or need not be.
    func isPlaced(_ list: Int) -> Bool {
        state.withLock { !$0.parts[list].list.slides || $0.parts[list].kind == .text || $0.moved.contains(list) }
    }

    /// Marks the media of a segment as missing for good.
    func lose(_ index: Int, of list: Int, because error: EngineError) {
        state.withLock { state in
            guard state.followed.indices.contains(list) else { return }
            state.followed[list].lose(index)
            state.publish()
            let text = "segment \(index) of \(path) is lost, and left out: \(error)"
            state.news.append(Notice(.warning, "live.segment_lost", text))
        }
    }

    // MARK: Growth

    /// Whether segments may follow.
    var isGrowing: Bool { state.withLock { $0.follower != nil } }

    /// When the newest segments came. `nil` unless more may follow.
    var progress: LiveProgress? { state.withLock(\.progress) }

    /// Returns the notices that have come up since the last call.
    func takeNews() -> [Notice] {
        state.withLock { state in
            var news = state.news
            state.news = []
            // What the server does to all lists is said once.
            for place in state.followed.indices {
                for notice in state.followed[place].takeNews() where !news.contains(notice) { news.append(notice) }
            }
            return news
        }
    }

    /// Treats the list as complete, whatever it says.
    func endGrowth() { state.withLock { ($0.follower, $0.progress) = (nil, nil) } }

    /// As `SegmentListSource.grow`.
    func grow(_ interrupt: InterruptFlag) throws(EngineError) {
        state.withLock { $0.isFollowed = true }
        do throws(EngineError) {
            try follow(interrupt)
        } catch {
            state.withLock { $0.isFollowed = false }
            throw error
        }
    }

    private func follow(_ interrupt: InterruptFlag) throws(EngineError) {
        while var follower = state.withLock(\.follower) {
            try follower.wait(interrupt, path: path)
            do throws(EngineError) {
                let content = try reload(.later, interrupt)
                let isNew = try state.withLock { state throws(EngineError) in try adopt(content, &state) }
                guard let growing = content.growing else { return }
                follower.loaded(growing, hasChanged: isNew)
                keep(follower)
                let hasNews = noteStall()
                if isNew || hasNews { return }
            } catch {
                try follower.failed(error)
                keep(follower)
                if noteStall() { return }
            }
        }
    }

    /// Stores the follower, unless the list was ended in the meantime.
    private func keep(_ follower: ListFollower) { state.withLock { if $0.follower != nil { $0.follower = follower } } }

    /// - Returns: whether the list has just stalled or resumed.
    private func noteStall() -> Bool {
        let now = monotonicNanoseconds()
        return state.withLock { state in
            guard let isStalled = state.followed.first?.isStalled(at: now), let progress = state.progress,
                isStalled != progress.isStalled
            else { return false }
            state.progress?.isStalled = isStalled
            let silence = (now - progress.monotonicNanoseconds) / 1_000_000_000
            state.news.append(
                isStalled
                    ? Notice(
                        .warning,
                        "live.ingest_stalled",
                        "the playlist \(path) has had nothing new for \(silence) s; it is loaded again and again"
                    ) : Notice(.info, "live.ingest_resumed", "the playlist \(path) goes on")
            )
            return true
        }
    }

    /// Waits for the segment behind the last one of a list, as long as `grow` keeps loading it.
    ///
    /// - Parameter count: how many segments the reader knows.
    /// - Returns: whether the list has more than that.
    func grows(beyond count: Int, list: Int, _ interrupt: InterruptFlag) throws(EngineError) -> Bool {
        while state.withLock({
            $0.isFollowed && $0.follower != nil && $0.parts[list].list.segments.count <= count
        }) {
            if interrupt.isUp { throw EngineError(.cancelled, "reading \(path) was interrupted") }
            interrupt.wait(atMost: Self.lookInterval)
        }
        return parts[list].list.segments.count > count
    }
}
