// SPDX-License-Identifier: Apache-2.0

internal import EngineRuntime

/// The caches of all open lists, whose size is reduced while memory is short.
///
/// Thread-safety: safe.
final class ListCaches: Sendable {
    private struct Entry {
        weak var source: SegmentListSource?
    }

    private struct State {
        var halvings = 0
        var entries: [Entry] = []
    }

    private let state = Locked(State())

    /// Sizes the cache of a source, now and whenever the memory for caches changes, until the source is released.
    func add(_ source: SegmentListSource) {
        state.withLock { state in
            state.entries.removeAll { $0.source == nil }
            state.entries.append(Entry(source: source))
            source.halveCache(state.halvings)
        }
    }

    /// Limits each cache to its full size halved `times` times.
    func halve(_ times: Int) {
        state.withLock { state in
            state.halvings = times
            for entry in state.entries { entry.source?.halveCache(times) }
        }
    }
}
