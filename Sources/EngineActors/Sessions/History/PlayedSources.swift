// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// How far the sources of the sessions have been played. Pure.
///
/// A source that is loaded but not played is not recorded: its earlier position is kept.
struct PlayedSources: Sendable {
    struct Progress: Hashable {
        var source: String
        /// Zero if it was played to its end.
        var position: MediaTime
        var duration: MediaTime?
        var isFinished: Bool
        var program: PlayedProgram?
    }

    /// A loaded source, and its playback so far.
    private struct Watched {
        var state: SessionState
        var hasPlayed = false
        /// The progress that `take` returned last.
        var taken: Progress?
    }

    /// The last second of a source counts as its end.
    private static let end = MediaTime.seconds(1)

    private var watched: [SessionID: Watched] = [:]
    /// The progress of sources that are no longer loaded, until it is taken.
    private var left: [Progress] = []

    /// Whether the position of any source moves.
    var isPlaying: Bool { watched.values.contains { $0.state.position.rate > 0 } }

    /// - Returns: whether there is something to write: a source that has played has started, stopped or entered another
    ///   phase, or was replaced.
    mutating func note(_ state: SessionState) -> Bool {
        var now = watched[state.id] ?? Watched(state: state)
        let before = now.state
        var isReplaced = false
        if before.url != state.url, Self.load(of: before) != Self.load(of: state) {
            isReplaced = now.hasPlayed
            leave(now, at: state.position.monotonicNanoseconds)
            now = Watched(state: state)
        }
        now.state = state
        // A position in a live source has no meaning later.
        if state.position.rate > 0, state.live == nil { now.hasPlayed = true }
        watched[state.id] = now
        let hasTurned = (before.position.rate > 0) != (state.position.rate > 0) || before.phase != state.phase
        return isReplaced || now.hasPlayed && hasTurned
    }

    /// - Returns: whether there is something to write.
    mutating func close(_ session: SessionID, at now: Int64) -> Bool {
        guard let last = watched.removeValue(forKey: session) else { return false }
        leave(last, at: now)
        return last.hasPlayed
    }

    private mutating func leave(_ watched: Watched, at now: Int64) {
        if watched.hasPlayed { left.append(Self.progress(of: watched.state, at: now)) }
    }

    /// The progress that has changed since the last call.
    ///
    /// - Parameter now: nanoseconds of the monotonic clock.
    mutating func take(at now: Int64) -> [Progress] {
        defer { left = [] }
        var changed = left
        for (id, each) in watched where each.hasPlayed {
            let progress = Self.progress(of: each.state, at: now)
            guard progress != each.taken else { continue }
            watched[id]?.taken = progress
            changed.append(progress)
        }
        return changed
    }

    /// Takes back progress that could not be written; the next `take` returns it again. For each source, the latest
    /// progress is kept.
    mutating func putBack(_ unwritten: [Progress]) {
        struct Played: Hashable {
            let source: String
            let program: Int?
        }
        var known: Set<Played> = []
        let latest = (unwritten + left).reversed().filter {
            known.insert(Played(source: $0.source, program: $0.program?.number)).inserted
        }
        left = Array(latest.reversed())
    }

    /// Identifies a load: the URL without its query, which changes with the delays.
    private static func load(of state: SessionState) -> Substring { state.url.prefix { $0 != "?" } }

    private static func progress(of state: SessionState, at now: Int64) -> Progress {
        var position = max(.zero, state.position.position(at: now))
        if let duration = state.duration { position = min(position, duration) }
        let isFinished = state.phase == .ended || state.duration.map { position + end >= $0 } ?? false
        return Progress(
            source: state.source,
            position: isFinished ? .zero : position,
            duration: state.duration,
            isFinished: isFinished,
            program: PlayedProgram(of: state.media)
        )
    }
}
