// SPDX-License-Identifier: Apache-2.0

/// Counts the crashes of the engine's process that are attributed to one session. Pure.
///
/// A process may end because of what a source contains: FFmpeg crashes on it, or uses up all memory. After two crashes,
/// a session's source is opened again only when a client asks for it.
package struct CrashHistory: Hashable, Sendable {
    /// The activity of a session when its process ended.
    package enum Activity: UInt8, Sendable {
        case resting, opening, playing
    }

    /// How a process ended.
    package enum Ending: Hashable, Sendable {
        /// As intended, or there was no process.
        case clean
        /// It was killed from outside: by a user, or by the kernel because memory ran out.
        case killed
        /// It crashed on a thread with this tag; 0 if it is not known for which session the thread worked.
        case crashed(tag: UInt32)
    }

    /// When the source of a restored session is opened.
    package enum Restoring: Hashable, Sendable {
        case atOnce
        /// Alone, after the others, so that the culprit is known if the process ends again.
        case afterTheOthers
        /// Not at all by the engine: the session fails with `source_crashed`.
        case onlyWhenAsked
    }

    /// After this many crashes, or kills during opening, the source is opened only when a client asks for it.
    package static let limit = 2
    /// Crashes that are farther apart count as unrelated. In seconds.
    package static let memory: Int64 = 3600

    /// A source that is opened only when a client asks for it is not opened within this time of its last crash, so that
    /// a client that loads it again and again does not use up the starts that a service manager allows. In seconds.
    package static let pause: Int64 = 10

    /// The number of crashes in a row, each at most `memory` after the one before.
    package private(set) var crashes: Int
    /// How many times in a row the process was killed while the source was being opened.
    package private(set) var killedOpenings: Int
    /// When the last crash was found, in seconds since 1970.
    package private(set) var lastCrash: Int64

    package init(crashes: Int = 0, killedOpenings: Int = 0, lastCrash: Int64 = 0) {
        self.crashes = crashes
        self.killedOpenings = killedOpenings
        self.lastCrash = lastCrash
    }

    /// When the source is opened by an engine that restores its sessions.
    package var restoring: Restoring {
        if crashes >= Self.limit || killedOpenings >= Self.limit { return .onlyWhenAsked }
        return crashes > 0 || killedOpenings > 0 ? .afterTheOthers : .atOnce
    }

    /// Whether the source has crashed too often, and too recently for another try.
    package func isPausing(at now: Int64) -> Bool {
        restoring == .onlyWhenAsked && lastCrash <= now && now - lastCrash < Self.pause
    }

    /// The source is open: opening it did not end the process.
    package mutating func opened() { killedOpenings = 0 }

    /// The history of a session whose source a client loads although it has crashed too often. It gets one more try.
    package static func lastTry(at now: Int64) -> CrashHistory {
        CrashHistory(crashes: limit - 1, lastCrash: now)
    }

    /// Notes how the previous process ended.
    ///
    /// - Parameters:
    ///   - activity: what this session was doing in that process.
    ///   - tag: the tag of this session's threads in that process.
    ///   - isOpeningAnywhere: whether any session was being opened.
    package mutating func ended(
        _ ending: Ending,
        _ activity: Activity,
        tag: UInt32,
        isOpeningAnywhere: Bool,
        at now: Int64
    ) {
        switch ending {
        case .clean: break
        case .killed:
            if activity == .opening { killedOpenings += 1 }
        case .crashed(let culprit) where culprit != 0:
            if culprit == tag { crashed(at: now) }
        case .crashed:
            // It is not known for which session the thread worked. Crashes are most likely during opening.
            if activity == .opening || activity == .playing && !isOpeningAnywhere { crashed(at: now) }
        }
    }

    private mutating func crashed(at now: Int64) {
        if now - lastCrash > Self.memory || now < lastCrash { crashes = 0 }
        crashes += 1
        lastCrash = now
    }
}

/// When the process crashed last, whatever the crashes are attributed to. Pure.
///
/// If many sources crash the process, one after the other, it must not be started more often than a service manager
/// allows: that would end the service for the other sources too.
struct RecentCrashes: Hashable, Sendable {
    /// This many crashes are remembered. If all of them are recent, the next process opens sources after a pause.
    static let limit = 4
    /// In seconds: the interval in which service managers count starts (`StartLimitIntervalSec` of the units).
    private static let interval: Int64 = 60
    /// With this pause, fewer starts fit into `interval` than `StartLimitBurst` allows.
    private static let pause = Duration.seconds(5)

    /// In seconds since 1970, the latest first; from a file, so they may have any value.
    private(set) var times: [Int64]

    init(_ times: [Int64] = []) { self.times = times }

    mutating func note(at now: Int64) { times = [now] + times.prefix(Self.limit - 1) }

    /// How long to wait before any source is opened.
    func pause(at now: Int64) -> Duration {
        let recent = times.filter { (0..<Self.interval).contains(now &- $0) }
        return recent.count >= Self.limit ? Self.pause : .zero
    }
}
