// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Keeps the finished segments of one session in memory, under a byte budget.
///
/// Never makes a segment, never waits. Owned by the producer, which stores segments and reads them to serve requests.
package actor SegmentCache {
    package struct Key: Hashable, Sendable {
        package let index: Int
        /// Position in `OpenedSource.tracks`.
        package let track: Int

        package init(index: Int, track: Int) {
            self.index = index
            self.track = track
        }
    }

    private var bodies: [Key: ByteBody] = [:]
    private var byteCount = 0
    private var budget: Int

    package init(budget: Int) { self.budget = budget }

    package func body(_ key: Key) -> ByteBody? { bodies[key] }

    /// Stores bodies and makes room.
    ///
    /// - Parameter cost: how expendable a segment is; the one with the highest cost is evicted first.
    /// - Returns: the evicted keys, and the number of bytes held now.
    package func store(
        _ stored: [Key: ByteBody],
        cost: @Sendable (Int) -> Int
    ) -> (evicted: [Key], byteCount: Int) {
        for (key, body) in stored {
            byteCount += body.byteCount - (bodies.updateValue(body, forKey: key)?.byteCount ?? 0)
        }
        return (evict(cost), byteCount)
    }

    /// Changes the budget and makes room at once.
    package func setBudget(_ bytes: Int, cost: @Sendable (Int) -> Int) -> (evicted: [Key], byteCount: Int) {
        budget = bytes
        return (evict(cost), byteCount)
    }

    package func removeAll() {
        bodies = [:]
        byteCount = 0
    }

    private func evict(_ cost: (Int) -> Int) -> [Key] {
        guard byteCount > budget else { return [] }
        var evicted: [Key] = []
        let order = bodies.keys.map { (key: $0, cost: cost($0.index)) }
            .sorted { ($0.cost, $0.key.index, $0.key.track) > ($1.cost, $1.key.index, $1.key.track) }
        for (key, _) in order {
            guard byteCount > budget else { break }
            byteCount -= bodies.removeValue(forKey: key)?.byteCount ?? 0
            evicted.append(key)
        }
        return evicted
    }
}
