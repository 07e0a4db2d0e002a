// SPDX-License-Identifier: Apache-2.0

package import EngineModel
internal import EngineRuntime

/// The finished segments of one session in memory, under a byte budget.
///
/// Never makes a segment. Owned by the producer; only the producer changes it.
///
/// Thread-safety: safe. Reading a segment takes a lock, but no hop to an actor.
package final class SegmentStore: Sendable {
    private struct Content {
        /// By segment index, then by position in `OpenedSource.tracks`.
        var segments: [Int: [Int: ByteBody]] = [:]
        var byteCount = 0
        var budget: Int

        mutating func makeRoom(_ cost: (Int) -> Int) -> [Int] {
            guard byteCount > budget else { return [] }
            var evicted: [Int] = []
            let order = segments.map { (index: $0.key, cost: cost($0.key), tracks: $0.value.keys.sorted(by: >)) }
                .sorted { ($0.cost, $0.index) > ($1.cost, $1.index) }
            for (index, _, tracks) in order {
                for track in tracks {
                    guard byteCount > budget else { return evicted }
                    byteCount -= segments[index]?.removeValue(forKey: track)?.byteCount ?? 0
                    evicted.append(index)
                }
                if segments[index]?.isEmpty == true { segments[index] = nil }
            }
            return evicted
        }
    }

    private let content: Locked<Content>

    /// - Parameter budget: the maximum number of bytes of the stored segments.
    package init(budget: Int) { content = Locked(Content(budget: budget)) }

    package var byteCount: Int { content.withLock { $0.byteCount } }

    package func body(_ index: Int, track: Int) -> ByteBody? { content.withLock { $0.segments[index]?[track] } }

    /// Whether any track of the segment is stored.
    package func has(_ index: Int) -> Bool { content.withLock { $0.segments[index] != nil } }

    /// The end of the leading track's contiguous segments from `index` on: the index after the last one.
    package func contiguousEnd(from index: Int) -> Int {
        content.withLock { content in
            var end = index
            while content.segments[end]?[0] != nil { end += 1 }
            return end
        }
    }

    /// The index of the first of the leading track's contiguous segments up to `index`.
    package func contiguousStart(upTo index: Int) -> Int {
        content.withLock { content in
            var start = index
            while start > 0, content.segments[start - 1]?[0] != nil { start -= 1 }
            return start
        }
    }

    /// Stores one segment of some tracks, then evicts segments over the budget.
    ///
    /// - Parameters:
    ///   - bodies: the bodies by position in `OpenedSource.tracks`.
    ///   - cost: how expendable the segment at an index is. Segments with the highest cost are evicted first.
    /// - Returns: the segment index of each evicted body, which may be that of a body just stored.
    package func add(_ index: Int, _ bodies: [Int: ByteBody], cost: (Int) -> Int) -> [Int] {
        content.withLock { content in
            for (track, body) in bodies {
                let replaced = content.segments[index, default: [:]].updateValue(body, forKey: track)
                content.byteCount += body.byteCount - (replaced?.byteCount ?? 0)
            }
            return content.makeRoom(cost)
        }
    }

    /// Changes the budget, and evicts segments over it at once.
    ///
    /// - Returns: the segment index of each evicted body.
    package func setBudget(_ bytes: Int, cost: (Int) -> Int) -> [Int] {
        content.withLock { content in
            content.budget = bytes
            return content.makeRoom(cost)
        }
    }

    package func removeAll() {
        content.withLock { content in
            content.segments = [:]
            content.byteCount = 0
        }
    }
}
