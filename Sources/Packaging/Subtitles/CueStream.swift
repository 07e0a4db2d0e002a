// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Orders the cues of one pass over a source: each is held until no earlier one can follow, then returned in order.
package struct CueStream: Sendable {
    private var pending: [Cue] = []
    /// The approximate memory used by the pending cues.
    package private(set) var byteCount = 0
    private var seen: Set<UInt64> = []

    package init() {}

    /// Adds cues. A cue that was added before is ignored.
    ///
    /// - Parameter cues: in source order.
    package mutating func add(_ cues: [Cue]) {
        for cue in cues where seen.insert(cue.id).inserted {
            pending.append(cue)
            byteCount += cue.weight
        }
    }

    /// The cues that start before `time`, in order. A cue that later data may still end is held back, and so are all
    /// cues after it.
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

    /// The remaining cues, at the end of the source.
    package mutating func finish() -> [Cue] {
        defer { pending = [] }
        return CueList.closed(CueList.ordered(pending))
    }
}
