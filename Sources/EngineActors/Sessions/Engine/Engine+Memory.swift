// SPDX-License-Identifier: Apache-2.0

package import EngineRuntime
internal import Reading
internal import Stills

// Releases memory when it is short: finished segments and fetched bytes of sources on servers, which can be made or
// fetched again, and the readers of stills of sources that are not loaded.
extension Engine {
    /// How long memory must not be short before the caches may grow.
    private static let rest = Duration.seconds(30)

    /// Shrinks the caches while memory is short, and lets them grow again afterwards. Returns when nothing reports
    /// shortages any more.
    ///
    /// - Parameter onShortage: called with the bytes that finished segments may take from now on.
    package nonisolated func follow(_ pressure: MemoryPressure, onShortage: @Sendable (Int) -> Void) async {
        var growing: Task<Void, Never>?
        while await pressure.isShort() {
            growing?.cancel()
            onShortage(await shrinkCaches())
            // Ends when the caches have grown to their full size, or memory is short again.
            growing = Task { await growUntilFull() }
        }
    }

    private nonisolated func growUntilFull() async {
        var isFull = false
        while !isFull {
            do { try await Task.sleep(for: Self.rest) } catch { return }
            isFull = await growCaches()
        }
    }

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
