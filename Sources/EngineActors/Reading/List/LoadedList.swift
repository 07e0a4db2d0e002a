// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime
internal import Packaging

/// The lists of a source, shared by all its readers. Loads them again when they grow, and when their URLs were signed again.
///
/// Thread-safety: safe. `grow`, `grows`, `awaitSegment`, `place` and `reloadIfStale` block.
final class LoadedList: Sendable {
    private struct State {
        var lists: MergedLists
        /// The variants between which the engine switches. `nil` if there is only one.
        var ladder: LiveLadder?
        /// When the list is loaded again. `nil` once it is complete.
        var follower: ListFollower?
        /// Whether `settleEntrance` was called.
        var hasSettledEntrance = false
        /// Whether `grow` keeps loading the list. If not, no more segments come, and readers must not wait for them.
        var isFollowed = false
        /// The number of calls of `refresh`.
        var refreshes = 0
        /// The number of these calls that were followed by a load.
        var followedRefreshes = 0

        /// Whether a reader at the end of a list must wait for more. Parameters as in `grows`.
        func awaits(beyond count: Int, list: Int, upTo limit: MediaTime?, _ patience: MediaTime) -> Bool {
            guard isFollowed, follower != nil else { return false }
            let own = lists.parts[list].list
            guard own.segments.count <= count else { return false }
            guard let limit else { return true }
            return own.duration < limit && lists.parts[0].list.duration < limit + patience
        }
    }

    /// How far the leading list may reach beyond the time up to which a reader needs another list, before the reader
    /// stops waiting for that list. In target durations.
    private static let textPatience: Int64 = 3
    /// Parts are fetched while readers are this near to the end of the leading list, in target durations.
    private static let nearness: Int64 = 4
    /// The maximum number of segments that are remembered as searched.
    private static let searchedLimit = 4096

    /// The target duration of the leading playlist when it was opened. `nil` if it was complete.
    let targetDuration: MediaTime?
    /// As `ListedSegments.partHoldBack`.
    let partHoldBack: MediaTime?
    private let path: String
    private let digest: String
    /// Whether segments could follow when the list was opened.
    private let grew: Bool
    private let reload: @Sendable (ListLoad, InterruptFlag) throws(EngineError) -> ListContent
    /// How fast segments arrive. `nil` unless each can be decoded without the one before it.
    private let throughput: @Sendable () -> SegmentThroughput?
    private let segmentParts: SegmentParts
    private let state: Locked<State>
    /// The ad breaks in the media, and the segments that were searched for them.
    private let splices = Locked<(finder: SegmentSplices, searched: Set<Int>)>((SegmentSplices(), []))
    /// Wakes readers at the end of a list.
    private let change = WakeSignals()

    /// - Parameters:
    ///   - path: as `ByteSource.path`.
    ///   - announced: as for `MergedLists`.
    ///   - ladder: the variants between which the engine switches.
    ///   - throughput: how fast the segments of the list arrive. `nil`, which makes a switch impossible, unless each
    ///     segment can be decoded without the one before it.
    ///   - segmentParts: fetches the parts of segments that are not complete.
    ///   - reload: fetches the list again.
    init(
        path: String,
        _ content: ListContent,
        after announced: Int = 0,
        _ segmentParts: SegmentParts,
        switchingAlong ladder: LiveLadder? = nil,
        by throughput: @escaping @Sendable () -> SegmentThroughput?,
        reload: @escaping @Sendable (ListLoad, InterruptFlag) throws(EngineError) -> ListContent
    ) {
        self.path = path
        self.reload = reload
        self.throughput = throughput
        self.segmentParts = segmentParts
        digest = content.digest
        grew = content.growing != nil
        targetDuration = content.growing?.targetDuration
        partHoldBack = content.growing.flatMap { playlist in
            playlist.partTarget.map { playlist.control.partHoldBack ?? MediaTime(microseconds: 3 * $0.microseconds) }
        }
        let lists = MergedLists(content, path: path, after: announced, now: monotonicNanoseconds())
        let follower = content.growing.map { ListFollower($0) }
        state = Locked(State(lists: lists, ladder: ladder, follower: follower))
    }

    /// The first part leads.
    var parts: [ListPart] { state.withLock(\.lists.parts) }

    // MARK: Refreshes

    /// Whether `refresh` was called: the URLs may differ from those that the list was opened with.
    var wasRefreshed: Bool { state.withLock { $0.refreshes > 0 } }

    /// The number of calls of `refresh`.
    var refreshCount: Int { state.withLock(\.refreshes) }

    /// Makes the next read fetch the list again first, because its URLs may have been signed again.
    func refresh() { state.withLock { $0.refreshes += 1 } }

    /// Fetches the list again if `refresh` was called.
    ///
    /// - Throws: `sourceChanged` if a list that cannot grow differs from the one that was opened.
    func reloadIfStale(_ interrupt: InterruptFlag) throws(EngineError) {
        let due = state.withLock { $0.refreshes == $0.followedRefreshes ? nil : $0.refreshes }
        guard let due else { return }
        let content = try reload(.afresh(variant: state.withLock { $0.ladder?.current }), interrupt)
        guard grew || content.digest == digest else { throw MergedLists.changed(path) }
        try state.withLock { state throws(EngineError) in
            if grew {
                _ = try take(content, &state)
                try state.lists.rename(by: content)
            } else {
                state.lists.replace(by: content)
            }
            state.followedRefreshes = max(due, state.followedRefreshes)
        }
        change.call()
    }

    /// Merges a later load of a growing list.
    ///
    /// - Returns: whether segments were added.
    private func take(_ content: ListContent, _ state: inout State) throws(EngineError) -> Bool {
        let isNew = try state.lists.take(content, now: monotonicNanoseconds())
        if content.growing == nil { state.follower = nil }
        return isNew
    }

    // MARK: Segments

    /// Whether `settleEntrance` was called.
    var hasSettledEntrance: Bool { state.withLock(\.hasSettledEntrance) }

    /// Makes reading enter the leading list at a segment. Only the first call has an effect.
    func settleEntrance(at index: Int) {
        state.withLock { state in
            if !state.hasSettledEntrance, index != state.lists.parts[0].list.entrance { state.lists.enter(at: index) }
            state.hasSettledEntrance = true
        }
    }

    /// Corrects the place of a growing list on the timeline according to the times in its own segments, unless a reader
    /// has done so, or it is not needed (`MergedLists.isPlaced`). The initializer of `ListReader` does this for every
    /// list before any packet is read and any segment is announced.
    ///
    /// - Parameter distance: measures the time by which the list is later than its playlist implies. `nil` if its
    ///   segments have no times. If readers measure at the same time, the first result counts.
    func place(
        _ list: Int,
        at distance: () throws(EngineError) -> MediaTime?
    ) throws(EngineError) {
        guard !state.withLock({ $0.lists.isPlaced(list) }), let distance = try distance() else { return }
        state.withLock { $0.lists.move(list, by: distance) }
    }

    /// As `MergedLists.reach`.
    var reach: MediaTime? { state.withLock(\.lists.reach) }

    /// Marks the media of a segment as missing for good.
    func lose(_ index: Int, of list: Int, because error: EngineError) {
        state.withLock { $0.lists.lose(index, of: list, because: error) }
    }

    /// Reports the ad breaks that a segment of the leading list announces, if the list is live. Each segment is searched
    /// once.
    func noteSplices(in segment: [UInt8], of index: Int) {
        guard isGrowing else { return }
        let found = splices.withLock { splices in
            guard splices.searched.insert(index).inserted else { return [StreamReception.Splice]() }
            if splices.searched.count > Self.searchedLimit {
                splices.searched = splices.searched.filter { $0 > index - Self.searchedLimit / 2 }
            }
            return splices.finder.take(segment)
        }
        if !found.isEmpty { state.withLock { $0.lists.note(found, of: index) } }
    }

    // MARK: Growth

    /// Whether segments may follow.
    var isGrowing: Bool { state.withLock { $0.follower != nil } }

    /// When the newest segments were listed, and related facts. `nil` unless more segments may follow.
    var progress: LiveProgress? { state.withLock(\.lists.progress) }

    /// Returns the notices that have accumulated since the last call.
    func takeNotices() -> [Notice] { state.withLock { $0.lists.takeNotices() } }

    /// Treats the list as complete, even if its playlist has no end.
    func endGrowth() {
        state.withLock { state in
            state.follower = nil
            state.lists.end()
        }
        change.call()
    }

    /// As `SegmentListSource.grow`.
    func grow(untilPart: Bool, _ interrupt: InterruptFlag) throws(EngineError) {
        state.withLock { $0.isFollowed = true }
        defer { change.call() }
        do throws(EngineError) {
            try follow(untilPart: untilPart, interrupt)
        } catch {
            state.withLock { $0.isFollowed = false }
            throw error
        }
    }

    private func follow(untilPart: Bool, _ interrupt: InterruptFlag) throws(EngineError) {
        while var follower = state.withLock(\.follower) {
            let directives = try follower.wait(interrupt, path: path)
            var isNew = false
            do throws(EngineError) {
                if let load = try load(directives, interrupt) {
                    isNew = load.isNew
                    guard let growing = load.content.growing else { return }
                    if let failure = load.content.failure { throw failure }
                    let hasNewParts = state.withLock(\.lists.hasNewParts)
                    follower.loaded(growing, hasChanged: isNew || hasNewParts, followsParts: followsParts)
                } else {
                    follower.postponed()
                }
            } catch {
                try follower.failed(error)
            }
            let hasNotices = state.withLock { [follower] state in
                // The list may have been ended in the meantime.
                if state.follower != nil { state.follower = follower }
                return state.lists.noteStall(at: monotonicNanoseconds())
            }
            let hasPart = try fetchParts(interrupt)
            if isNew || hasNotices || hasPart && untilPart { return }
        }
    }

    /// Fetches the parts that are listed now, if they are followed.
    ///
    /// - Returns: whether a part of a segment that is not complete was fetched.
    private func fetchParts(_ interrupt: InterruptFlag) throws(EngineError) -> Bool {
        guard followsParts else {
            segmentParts.rest()
            return false
        }
        let (listed, hasLadder) = state.withLock { ($0.lists.listed, $0.ladder != nil) }
        return try segmentParts.follow(listed, usesHints: !hasLadder, interrupt)
    }

    /// Whether parts of segments are fetched now: readers are near the end of the list, and the engine does not want to
    /// switch to another variant, or has to wait for the end of a segment whose parts were announced.
    private var followsParts: Bool {
        guard let targetDuration, state.withLock({ $0.follower != nil }) else { return false }
        let (end, isAnnounced) = state.withLock { ($0.lists.parts[0].list.duration, $0.lists.hasAnnouncedParts) }
        let distance = MediaTime(microseconds: targetDuration.microseconds * Self.nearness)
        return segmentParts.areUseful(near: end, within: distance) && (isAnnounced || wantedSwitch() == nil)
    }

    /// Notes that parts of the segment after the last one of the leading list are announced to players. Call from the
    /// thread that calls `grow`.
    ///
    /// - Parameter index: the segment. Without effect if it is listed already.
    func announceParts(ofSegment index: Int) {
        guard let open = segmentParts.open(0), open.index == index else { return }
        state.withLock { $0.lists.announce(open.entry, ofSegment: index) }
    }

    /// Loads the lists and merges them: with the variant that suits the bandwidth, if it can follow here; otherwise with the
    /// one that is played.
    ///
    /// - Returns: `nil` if nothing was merged, because a variant does not list yet what follows.
    private func load(
        _ directives: HLSDirectives,
        _ interrupt: InterruptFlag
    ) throws(EngineError) -> (content: ListContent, isNew: Bool)? {
        if let change = wantedSwitch(), !state.withLock(\.lists.hasAnnouncedParts) {
            do throws(EngineError) {
                let content = try reload(.later(HLSDirectives(), variant: change.index), interrupt)
                switch try join(content, change) {
                case .joined: return (content, true)
                case .behind:
                    let waits = state.withLock { $0.ladder?.waits(for: change, now: monotonicNanoseconds()) }
                    if waits == true { return nil }
                case .misaligned: state.withLock { $0.ladder?.passed() }
                case .unmatched(let mismatch): giveUp(change, because: "\(mismatch)")
                }
            } catch {
                if error.code == .cancelled { throw error }
                giveUp(change, because: "\(error)")
            }
        }
        let content = try reload(.later(directives, variant: state.withLock { $0.ladder?.current }), interrupt)
        return (content, try state.withLock { state throws(EngineError) in try take(content, &state) })
    }

    /// The switch to another variant that suits the bandwidth now.
    private func wantedSwitch() -> LiveLadder.Switch? {
        guard let targetDuration, let ladder = state.withLock(\.ladder), let arrival = throughput() else { return nil }
        let now = monotonicNanoseconds()
        return ladder.wanted(
            estimate: arrival.means?.estimate,
            isLate: arrival.isLate(by: targetDuration, now: now),
            now: now
        )
    }

    private func join(_ content: ListContent, _ change: LiveLadder.Switch) throws(EngineError) -> FollowedList.Join {
        guard let targetDuration else { return .misaligned }
        return try state.withLock { state throws(EngineError) in
            let place = state.lists.parts[0].list.duration
            let now = monotonicNanoseconds()
            let outcome = try state.lists.join(content, limit: targetDuration, now: now)
            guard outcome == .joined else { return outcome }
            if let notice = state.ladder?.joined(change, at: place, now: now) { state.lists.add(notice) }
            segmentParts.forget(0)
            if content.growing == nil { state.follower = nil }
            return outcome
        }
    }

    /// The variant that is played continues, because another one cannot follow.
    private func giveUp(_ change: LiveLadder.Switch, because reason: String) {
        state.withLock { state in
            let notice = state.ladder?.failed(change, because: reason, now: monotonicNanoseconds())
            if let notice { state.lists.add(notice) }
        }
    }

    /// The variant that is played since the engine switched. `nil` if it never did.
    var playedVariant: PlayedVariant? { state.withLock { $0.ladder?.played } }

    /// Waits for the segment after the last one of a list, as long as `grow` keeps loading it.
    ///
    /// - Parameters:
    ///   - count: how many segments the reader knows.
    ///   - limit: up to where on the timeline the reader needs the list. The wait ends when this list has reached that
    ///     point, or soon after the leading list has. `nil`: there is no such point.
    /// - Returns: whether the list has more than `count` segments.
    func grows(
        beyond count: Int,
        list: Int,
        upTo limit: MediaTime?,
        _ interrupt: InterruptFlag
    ) throws(EngineError) -> Bool {
        let patience = MediaTime(microseconds: (targetDuration ?? .zero).microseconds * Self.textPatience)
        try wait(interrupt) { $0.awaits(beyond: count, list: list, upTo: limit, patience) }
        return parts[list].list.segments.count > count
    }

    /// Waits until the leading list has a segment, or has ended.
    ///
    /// - Throws: `unavailable` if the list has stalled: the reader may be needed for other segments.
    func awaitSegment(_ index: Int, _ interrupt: InterruptFlag) throws(EngineError) {
        func lacks(_ state: State) -> Bool { state.awaits(beyond: index, list: 0, upTo: nil, .zero) }
        try wait(interrupt) { lacks($0) && $0.lists.progress?.isStalled != true }
        guard state.withLock({ lacks($0) }) else { return }
        throw EngineError(.unavailable, "\(path) does not list segment \(index), which the one before it needs")
    }

    /// Waits as long as a condition holds. The condition is checked whenever the lists may have changed.
    private func wait(_ interrupt: InterruptFlag, while condition: (State) -> Bool) throws(EngineError) {
        let wake = WakeSignal()
        change.add(wake)
        interrupt.add(wake)
        defer {
            change.remove(wake)
            interrupt.remove(wake)
        }
        while state.withLock({ condition($0) }) {
            if interrupt.isUp { throw EngineError(.cancelled, "reading \(path) was interrupted") }
            wake.wait(atMost: .max / 2)
        }
    }
}
