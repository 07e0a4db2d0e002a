// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime
internal import Packaging

/// When a list that grows is loaded again, and for how long that may fail.
struct ListFollower: Sendable {
    /// A list that could not be loaded for so long has ended.
    private static let patience = Duration.seconds(600)

    private var schedule = HLSReloadSchedule()
    /// When the load began that is running, or comes next.
    private var next: Int64
    /// `nil` while loads succeed.
    private var failure: Deadline?

    init(_ playlist: HLSMediaPlaylist) {
        next = monotonicNanoseconds()
        loaded(playlist, hasChanged: true)
    }

    /// Returns when the list has to be loaded.
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
        // Whole segments at intervals, without blocking requests, delta updates and parts.
        (playlist.control.canBlock, playlist.control.skipBoundary) = (false, nil)
        playlist.partTarget = nil
        failure = nil
        let now = monotonicNanoseconds()
        let began = max(next, now - Int64(playlist.targetDuration.microseconds) * 1000)
        next = schedule.loaded(playlist, hasChanged: hasChanged, began: began, now: now)?.time ?? now
    }

    /// - Throws: the error of a load, if it is final.
    mutating func failed(_ error: EngineError) throws(EngineError) {
        if error.code == .cancelled { throw error }
        let limit = failure ?? Deadline(in: Self.patience)
        if limit.hasPassed { throw error }
        failure = limit
        next = schedule.failed(began: next, now: monotonicNanoseconds()).time
    }
}

extension InterruptFlag {
    /// Returns after so many nanoseconds, or as soon as the flag is raised.
    func wait(atMost nanoseconds: Int64) {
        let wake = WakeSignal()
        add(wake)
        defer { remove(wake) }
        if !isUp { wake.wait(atMost: nanoseconds) }
    }
}
