// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime
internal import Packaging

/// Decides when a growing list is loaded again, and for how long loads may fail.
struct ListFollower: Sendable {
    /// If loads fail for this long, the list is given up.
    private static let patience = Duration.seconds(600)

    private var schedule = HLSReloadSchedule()
    /// The next load, or the running one.
    private var next: HLSReloadSchedule.Request
    /// Until when loads may fail. `nil` while they succeed.
    private var failureDeadline: Deadline?

    init(_ playlist: HLSMediaPlaylist) {
        next = .init(time: monotonicNanoseconds())
        loaded(playlist, hasChanged: true, followsParts: false)
    }

    /// Waits until the list has to be loaded.
    ///
    /// - Returns: the delivery directives for the request.
    func wait(_ interrupt: InterruptFlag, path: String) throws(EngineError) -> HLSDirectives {
        while !interrupt.isUp {
            let rest = next.time - monotonicNanoseconds()
            guard rest > 0 else { return next.directives }
            interrupt.wait(atMost: rest)
        }
        throw EngineError(.cancelled, "reading \(path) was interrupted")
    }

    /// - Parameters:
    ///   - hasChanged: whether the load had anything new.
    ///   - followsParts: whether the next load is due with the next part, not with the next segment.
    mutating func loaded(_ playlist: HLSMediaPlaylist, hasChanged: Bool, followsParts: Bool) {
        var playlist = playlist
        // The engine requests whole playlists: delta updates are not used.
        playlist.control.skipBoundary = nil
        if !followsParts { playlist.partTarget = nil }
        failureDeadline = nil
        let now = monotonicNanoseconds()
        let began = max(next.time, now - Int64(playlist.targetDuration.microseconds) * 1000)
        next =
            schedule.loaded(playlist, hasChanged: hasChanged, began: began, now: now)
            ?? .init(time: now)
    }

    /// Schedules another load soon, because the loaded list does not contain the needed segments yet.
    mutating func postponed() { next = schedule.failed(began: next.time, now: monotonicNanoseconds()) }

    /// - Throws: `error`, if it is `cancelled` or loads have failed for too long.
    mutating func failed(_ error: EngineError) throws(EngineError) {
        if error.code == .cancelled { throw error }
        let limit = failureDeadline ?? Deadline(in: Self.patience)
        if limit.hasPassed { throw error }
        failureDeadline = limit
        next = schedule.failed(began: next.time, now: monotonicNanoseconds())
    }
}
