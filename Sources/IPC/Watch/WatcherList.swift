// SPDX-License-Identifier: Apache-2.0

/// The watches in the order they came.
///
/// The order is that of their memory, and of their connections': a change that goes to a thousand of them in this order
/// finds far more of it in the processor's caches than in an order by hash.
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

    /// The watches move up to where others were.
    private mutating func close() {
        places.removeAll { $0 == nil }
        for (place, watcher) in places.enumerated() { watcher?.place = place }
    }

    func makeIterator() -> some IteratorProtocol<Watcher> { places.lazy.compactMap(\.self).makeIterator() }
}
