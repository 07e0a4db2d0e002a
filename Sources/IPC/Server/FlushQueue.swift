// SPDX-License-Identifier: Apache-2.0

/// Holds the connections that have bytes to send, and decides when to flush them. Pure: `ServerOutput` carries out the
/// steps.
struct FlushQueue<Connection> {
    enum Step: Hashable {
        /// A flush of the whole queue is already due.
        case wait
        /// The caller must schedule a flush of the queue on the event loop.
        case visit
        /// The caller must flush the queue now.
        case flush
    }

    /// The number of connections that are flushed together while a change is sent to many: few enough that their state
    /// is still in the CPU caches.
    static var batch: Int { 16 }

    private var waiting: [Connection] = []
    private var isBatching = false

    /// Between `beginBatches` and `endBatches`, the queue is flushed whenever it holds one batch.
    mutating func beginBatches() { isBatching = true }

    /// The caller must flush the connections that are still in the queue.
    mutating func endBatches() { isBatching = false }

    mutating func add(_ connection: Connection) -> Step {
        waiting.append(connection)
        if isBatching { return waiting.count >= Self.batch ? .flush : .wait }
        return waiting.count == 1 ? .visit : .wait
    }

    mutating func take() -> [Connection] {
        let taken = waiting
        waiting.removeAll(keepingCapacity: true)
        return taken
    }
}
