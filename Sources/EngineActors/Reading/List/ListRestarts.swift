// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import EngineRuntime

/// What was found out about the clocks of the segments of a source. A segment keeps its correction, even if the segments that
/// revealed it can no longer be read.
///
/// Thread-safety: safe.
final class ListRestarts: Sendable {
    private struct Key: Hashable {
        let list: Int
        let segment: Int
    }

    /// The most segments about which anything is remembered. Those of a list that slides become useless with its window.
    private static let limit = 8192

    private struct State {
        var corrections: [Key: MediaTime] = [:]
        var extents: [Key: ClockRestarts.Extent] = [:]
    }

    private let state = Locked(State())

    /// The offset to add to the times of a segment; `find` is called if it is not known.
    func correction(
        of segment: Int,
        in list: Int,
        find: () throws(EngineError) -> MediaTime
    ) throws(EngineError) -> MediaTime {
        let key = Key(list: list, segment: segment)
        if let known = state.withLock({ $0.corrections[key] }) { return known }
        let found = try find()
        return state.withLock { state in
            let first = state.corrections[key] ?? found
            state.corrections[key] = first
            if state.corrections.count > Self.limit {
                state.corrections = state.corrections.filter { $0.key.segment > segment - Self.limit / 4 }
            }
            return first
        }
    }

    /// The extent of a segment; `find` is called if it is not known.
    func extent(
        of segment: Int,
        in list: Int,
        find: () throws(EngineError) -> ClockRestarts.Extent?
    ) throws(EngineError) -> ClockRestarts.Extent? {
        let key = Key(list: list, segment: segment)
        if let known = state.withLock({ $0.extents[key] }) { return known }
        guard let found = try find() else { return nil }
        state.withLock { state in
            if state.extents.count >= Self.limit { state.extents = [:] }
            state.extents[key] = found
        }
        return found
    }
}
