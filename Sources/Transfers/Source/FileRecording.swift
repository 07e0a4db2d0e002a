// SPDX-License-Identifier: Apache-2.0

internal import Bindings

/// A file on a server that another program may still be writing, as its server describes it. Pure; times are in
/// nanoseconds of CLOCK_MONOTONIC.
///
/// Servers do not say whether a program has a file open, so a recording has ended when it has not grown for a while.
struct FileRecording: Sendable {
    /// How long the server may be away before readers at the end fail.
    private static let patience: Int64 = 60_000_000_000

    /// The file when it was opened.
    let opened: ResourceState
    private var growth: FileGrowth
    private var isFollowed = false
    private var lastAnswer: Int64

    /// - Parameters:
    ///   - quiet: once nothing has been written to a file for this long, it has ended.
    ///   - wall: the time in seconds since 1970, which is compared with the time of the last change that the server
    ///     states.
    /// - Returns: `nil` for a file that nobody is writing, and if the server does not state its length and its time.
    init?(_ state: ResourceState, quiet: Duration, wall: Int64, now: Int64) {
        guard let byteCount = state.byteCount, let time = state.modified.flatMap({ Int64($0) }) else { return nil }
        let limit = Int64(quiet / .nanoseconds(1))
        let (age, isLong) = (wall &- time).multipliedReportingOverflow(by: 1_000_000_000)
        guard limit > 0, !isLong, age < limit else { return nil }
        opened = state
        growth = FileGrowth(.init(byteCount: byteCount, hasWriter: nil), age: age, quiet: limit, now: now)
        lastAnswer = now
    }

    /// Whether readers wait for more bytes at the end. If not, the length stays what it is.
    var isGrowing: Bool { isFollowed && !growth.isEnded }

    mutating func follow() { isFollowed = true }

    mutating func end() { growth.end() }

    /// Records the length that the server states now.
    mutating func update(byteCount: Int64, now: Int64) {
        lastAnswer = now
        growth.update(.init(byteCount: byteCount, hasWriter: nil), now: now)
    }

    /// Whether the server has been away for so long that readers at the end need not wait any longer.
    func isLost(now: Int64) -> Bool { now - lastAnswer >= Self.patience }
}
