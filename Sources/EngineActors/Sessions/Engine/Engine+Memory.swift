// SPDX-License-Identifier: Apache-2.0

internal import EngineRuntime
internal import Reading
internal import Stills

// Releases memory when it is short: finished segments and fetched bytes of sources on servers, which can be made or
// fetched again, and the readers of stills of sources that are not loaded.
extension Engine {
    /// Halves the caches, down to a sixteenth of their size.
    ///
    /// - Returns: the bytes that finished segments may still take.
    package func shrinkCaches() async -> Int {
        maker.caches.shrink()
        await applyCacheSizes()
        stills.forget()
        returnFreeMemory()
        return maker.caches.bytes
    }

    /// Doubles the caches, up to their full size.
    ///
    /// - Returns: whether they have their full size.
    package func growCaches() async -> Bool {
        let isFull = maker.caches.grow()
        await applyCacheSizes()
        return isFull
    }

    private func applyCacheSizes() async {
        sources.halveCaches(maker.caches.share)
        await shareBudget()
    }
}
