// SPDX-License-Identifier: Apache-2.0

/// The watches in the order of their arrival.
///
/// Watches and their connections are also allocated in this order. Sending a change to a thousand watches in this order
/// therefore causes far fewer cache misses than in hash order.
struct WatcherList: Sequence {
    private var slots: [Watcher?] = []
    private(set) var count = 0

    mutating func add(_ watcher: Watcher) {
        watcher.place(at: slots.count)
        slots.append(watcher)
        count += 1
    }

    mutating func remove(_ watcher: Watcher) {
        guard slots.indices.contains(watcher.listIndex), slots[watcher.listIndex] === watcher else { return }
        slots[watcher.listIndex] = nil
        count -= 1
        if slots.count > 2 * count + 64 { compact() }
    }

    /// Removes the empty elements.
    private mutating func compact() {
        slots.removeAll { $0 == nil }
        for (index, watcher) in slots.enumerated() { watcher?.place(at: index) }
    }

    func makeIterator() -> some IteratorProtocol<Watcher> { slots.lazy.compactMap(\.self).makeIterator() }
}
