// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime
internal import Packaging

/// Decides when a growing list is loaded again, and for how long loads may fail.
struct ListFollower: Sendable {
    /// A list that could not be loaded for this long has ended.
    private static let patience = Duration.seconds(600)

    private var schedule = HLSReloadSchedule()
    /// When the next load is due, or the running one was.
    private var next: Int64
    /// Until when loads may fail. `nil` while they succeed.
    private var failureDeadline: Deadline?

    init(_ playlist: HLSMediaPlaylist) {
        next = monotonicNanoseconds()
        loaded(playlist, hasChanged: true)
    }

    /// Waits until the list has to be loaded.
    func wait(_ interrupt: InterruptFlag, path: String) throws(EngineError) {
        while !interrupt.isUp {
            let rest = next - monotonicNanoseconds()
            guard rest > 0 else { return }
            interrupt.wait(atMost: rest)
        }
        throw EngineError(.cancelled, "reading \(path) was interrupted")
    }

    mutating func loaded(_ playlist: HLSMediaPlaylist, hasChanged: Bool) {
        var playlist = playlist
        // The engine loads the list at intervals, without blocking requests and delta updates, and does not use parts.
        (playlist.control.canBlock, playlist.control.skipBoundary) = (false, nil)
        playlist.partTarget = nil
        failureDeadline = nil
        let now = monotonicNanoseconds()
        let began = max(next, now - Int64(playlist.targetDuration.microseconds) * 1000)
        next = schedule.loaded(playlist, hasChanged: hasChanged, began: began, now: now)?.time ?? now
    }

    /// - Throws: `error`, if it is `cancelled` or loads have failed for too long.
    mutating func failed(_ error: EngineError) throws(EngineError) {
        if error.code == .cancelled { throw error }
        let limit = failureDeadline ?? Deadline(in: Self.patience)
        if limit.hasPassed { throw error }
        failureDeadline = limit
        next = schedule.failed(began: next, now: monotonicNanoseconds()).time
    }
}

extension InterruptFlag {
    /// Waits until the time has passed or the flag is raised.
    func wait(atMost nanoseconds: Int64) {
        let wake = WakeSignal()
        add(wake)
        defer { remove(wake) }
        if !isUp { wake.wait(atMost: nanoseconds) }
    }
}
