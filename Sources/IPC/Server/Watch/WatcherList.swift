// SPDX-License-Identifier: Apache-2.0

/// The watches in the order of their arrival.
///
/// Watches and their connections also lie in memory in this order. Sending a change to a thousand watches in this order
/// therefore causes far fewer cache misses than in hash order.
struct WatcherList: Sequence {
    private var places: [Watcher?] = []
    private(set) var count = 0

    mutating func add(_ watcher: Watcher) {
        watcher.place = places.count
        places.append(watcher)
        count += 1
    }

    mutating func remove(_ watcher: Watcher) {
        guard places.indices.contains(watcher.place), places[watcher.place] === watcher else { return }
        places[watcher.place] = nil
        count -= 1
        if places.count > 2 * count + 64 { close() }
    }

    /// Removes the empty elements.
    private mutating func close() {
        places.removeAll { $0 == nil }
        for (place, watcher) in places.enumerated() { watcher?.place = place }
    }

    func makeIterator() -> some IteratorProtocol<Watcher> { places.lazy.compactMap(\.self).makeIterator() }
}
