// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime

/// The lists of a source as they are known, which later loads may complete.
///
/// Thread-safety: safe. `grow`, `grows` and `reloadIfStale` block.
final class LoadedList: Sendable {
    private struct State {
        var parts: [ListPart]
        /// `nil` once the list is complete.
        var follower: ListFollower?
        /// Whether somebody loads a growing list again and again, so that waiting for more segments has an end.
        var isFollowed = false
        /// Whether the list has to be fetched again before anything else is.
        var isStale = false
        /// Whether its URLs may be others than those that it was opened with.
        var wasRefreshed = false
    }

    /// A reader at the end of a growing list looks so often, in nanoseconds.
    private static let lookInterval: Int64 = 200_000_000

    private let path: String
    private let digest: String
    /// Whether segments could follow when the list was opened.
    private let grew: Bool
    private let reload: @Sendable (InterruptFlag) throws(EngineError) -> ListContent
    private let state: Locked<State>

    /// - Parameters:
    ///   - path: as `ByteSource.path`.
    ///   - reload: fetches the list again.
    init(
        path: String,
        _ content: ListContent,
        reload: @escaping @Sendable (InterruptFlag) throws(EngineError) -> ListContent
    ) {
        self.path = path
        self.reload = reload
        digest = content.digest
        grew = content.growing != nil
        state = Locked(State(parts: content.parts, follower: content.growing.map { ListFollower($0) }))
    }

    /// The first one leads.
    var parts: [ListPart] { state.withLock(\.parts) }

    /// Whether `refresh` was called.
    var wasRefreshed: Bool { state.withLock(\.wasRefreshed) }

    /// Has the list fetched again before anything else is, because its URLs may have been signed again.
    func refresh() {
        state.withLock { state in
            state.isStale = true
            state.wasRefreshed = true
        }
    }

    /// - Throws: `sourceChanged` if the list says something else than before.
    func reloadIfStale(_ interrupt: InterruptFlag) throws(EngineError) {
        guard state.withLock(\.isStale) else { return }
        let content = try reload(interrupt)
        guard grew || content.digest == digest else { throw changed }
        try adopt(content)
    }

    /// Takes a later load of the list. An older version of it, e.g. from a cache, is ignored.
    ///
    /// - Returns: whether segments were added.
    /// - Throws: `sourceChanged` if it does not go on with what is known.
    @discardableResult
    private func adopt(_ content: ListContent) throws(EngineError) -> Bool {
        let isNew: Bool? = state.withLock { state in
            guard let loaded = content.parts.first, let known = state.parts.first, loaded.list.agrees(with: known.list)
            else { return nil }
            let count = known.list.segments.count
            guard loaded.list.segments.count >= count else { return false }
            state.parts = content.parts
            state.isStale = false
            if content.growing == nil { state.follower = nil }
            return loaded.list.segments.count > count
        }
        guard let isNew else { throw changed }
        return isNew
    }

    private var changed: EngineError { EngineError(.sourceChanged, "\(path) lists other segments than before") }

    // MARK: Growth

    /// Whether segments may follow.
    var isGrowing: Bool { state.withLock { $0.follower != nil } }

    /// Nothing follows, whatever the list says.
    func endGrowth() { state.withLock { $0.follower = nil } }

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
            let content: ListContent
            do throws(EngineError) {
                content = try reload(interrupt)
            } catch {
                try follower.failed(error)
                state.withLock { $0.follower = follower }
                continue
            }
            let isNew = try adopt(content)
            guard let growing = content.growing else { return }
            follower.loaded(growing, hasChanged: isNew)
            state.withLock { $0.follower = follower }
            if isNew { return }
        }
    }

    /// Waits for the segment behind the last one of a list, if somebody follows the list.
    ///
    /// - Parameter count: of the segments that the reader knows.
    /// - Returns: whether the list has more than that.
    func grows(beyond count: Int, list: Int, _ interrupt: InterruptFlag) throws(EngineError) -> Bool {
        let wake = WakeSignal()
        interrupt.add(wake)
        defer { interrupt.remove(wake) }
        while state.withLock({
            $0.isFollowed && $0.follower != nil && $0.parts[list].list.segments.count <= count
        }) {
            if interrupt.isUp { throw EngineError(.cancelled, "reading \(path) was interrupted") }
            wake.wait(atMost: Self.lookInterval)
        }
        return parts[list].list.segments.count > count
    }
}
