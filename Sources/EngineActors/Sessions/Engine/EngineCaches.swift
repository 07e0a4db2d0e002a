// SPDX-License-Identifier: Apache-2.0

package import EngineRuntime
internal import Reading
internal import Stills

/// The caches of an engine: finished segments, where each session has an equal share, and bytes fetched from servers. They
/// shrink while memory is short.
///
/// Never blocks. Owned by the engine; called by the engine, and by the process while it watches its memory.
package actor EngineCaches {
    /// The caches grow once memory has not been short for this long.
    private static let growthDelay = Duration.seconds(30)

    private nonisolated let budget: CacheBudget
    private let sessions: SessionDirectory
    private let sources: SourceOpener
    private let stills: StillPool

    /// - Parameter bytes: for the finished segments of all sessions.
    init(bytes: Int, _ sessions: SessionDirectory, _ sources: SourceOpener, _ stills: StillPool) {
        budget = CacheBudget(bytes: bytes)
        (self.sessions, self.sources, self.stills) = (sessions, sources, stills)
    }

    /// The bytes of finished segments that each of `count` sessions may keep.
    nonisolated func budget(among count: Int) -> Int { budget.bytes / max(1, count) }

    /// Gives every session an equal share.
    func share() async {
        for session in sessions.all { await session.setBudget(budget(among: sessions.count)) }
    }

    /// Shrinks the caches while memory is short, and lets them grow again afterwards. Returns when nothing reports
    /// shortages any more.
    ///
    /// - Parameter onShortage: called with the bytes that finished segments may take from now on.
    package nonisolated func follow(_ pressure: MemoryPressure, onShortage: @Sendable (Int) -> Void) async {
        var growing: Task<Void, Never>?
        while await pressure.isShort() {
            growing?.cancel()
            onShortage(await shrink())
            // Ends when the caches have grown to their full size, or memory is short again.
            growing = Task { await growUntilFull() }
        }
    }

    private nonisolated func growUntilFull() async {
        var isFull = false
        while !isFull {
            do { try await Task.sleep(for: Self.growthDelay) } catch { return }
            isFull = await grow()
        }
    }

    /// Halves the caches, down to a sixteenth of their size. Also closes the readers of stills of sources that are not
    /// loaded; they can be opened again.
    ///
    /// - Returns: the bytes that finished segments may still take.
    func shrink() async -> Int {
        budget.shrink()
        await apply()
        stills.forget()
        returnFreeMemory()
        return budget.bytes
    }

    /// Doubles the caches, up to their full size.
    ///
    /// - Returns: whether they have their full size.
    func grow() async -> Bool {
        let isFull = budget.grow()
        await apply()
        return isFull
    }

    private func apply() async {
        sources.halveCaches(budget.share)
        await share()
    }
}
