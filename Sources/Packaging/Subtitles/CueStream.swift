// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Cues on their way from one reading of a source: kept until no earlier one is to be expected, then given in order.
package struct CueStream: Sendable {
    private var pending: [Cue] = []
    /// About what those take in memory that are kept.
    package private(set) var byteCount = 0
    private var seen: Set<UInt64> = []

    package init() {}

    /// What has been there before is not there again.
    ///
    /// - Parameter cues: in the order of the source.
    package mutating func add(_ cues: [Cue]) {
        for cue in cues where seen.insert(cue.id).inserted {
            pending.append(cue)
            byteCount += cue.weight
        }
    }

    /// The cues that start before `time`, in order. One that what follows may still end waits, and those behind it with it.
    package mutating func settled(before time: MediaTime) -> [Cue] {
        guard pending.contains(where: { $0.start < time }) else { return [] }
        let ordered = CueList.ordered(pending)
        let closed = CueList.closed(ordered)
        var (taken, given) = (0, 0)
        for cue in ordered {
            guard cue.start < time else { break }
            if cue.content != .nothing {
                guard let end = closed[given].end, !cue.endsWithNext || end <= time else { break }
                given += 1
            }
            taken += 1
        }
        pending = Array(ordered[taken...])
        byteCount -= ordered[..<taken].reduce(0) { $0 + $1.weight }
        return Array(closed[..<given])
    }

    /// The rest, at the end of the source.
    package mutating func finish() -> [Cue] {
        defer { pending = [] }
        return CueList.closed(CueList.ordered(pending))
    }
}
