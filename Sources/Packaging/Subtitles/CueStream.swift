// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Cues on their way from one reading of a source: kept until no earlier one is to be expected, then given in order.
package struct CueStream: Sendable {
    private var pending: [Cue] = []
    private var seen: Set<UInt64> = []

    package init() {}

    /// What has been there before is not there again.
    ///
    /// - Parameter cues: in the order of the source.
    package mutating func add(_ cues: [Cue]) {
        for cue in cues where seen.insert(cue.id).inserted { pending.append(cue) }
    }

    /// The cues that start before `time`, in order. One that is still open waits, and those behind it with it.
    package mutating func settled(before time: MediaTime) -> [Cue] {
        guard pending.contains(where: { $0.start < time }) else { return [] }
        let ordered = CueList.ordered(pending)
        let closed = CueList.closed(ordered)
        let count = closed.prefix { $0.start < time && $0.end != nil }.count
        pending = Array(ordered[count...])
        return Array(closed[..<count])
    }

    /// The rest, at the end of the source.
    package mutating func finish() -> [Cue] {
        defer { pending = [] }
        return CueList.closed(CueList.ordered(pending))
    }
}
