// SPDX-License-Identifier: Apache-2.0

/// The connections with bytes to send, and when they are flushed. Pure: `ServerOutput` carries out the steps.
struct FlushQueue<Connection> {
    enum Step: Hashable {
        /// A flush of the whole queue is due already.
        case wait
        /// The loop's next visit flushes the queue.
        case visit
        /// The queue is flushed now.
        case flush
    }

    /// The number of connections that receive a change before their bytes are written, while their state is still in
    /// the CPU caches.
    static var batch: Int { 16 }

    private var waiting: [Connection] = []
    private var isBatching = false

    /// Between `beginBatches` and `endBatches`, the queue is flushed whenever it holds one batch.
    mutating func beginBatches() { isBatching = true }

    /// The caller flushes the rest.
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
