// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// The cues of a source, in one order whatever the order in which they came: by start, then track, then as the source has
/// them.
///
/// Cues come a unit at a time: all that one track has in one part of the source. A unit that comes again replaces itself, so
/// the list depends on which units are there and on nothing else.
package struct CueList: Sendable {
    /// By track, then unit; each in the order of the source.
    private var units: [Int: [Int: [Cue]]] = [:]

    package init() {}

    /// - Parameter cues: in the order of the source.
    package mutating func set(_ cues: [Cue], track: Int, unit: Int) { units[track, default: [:]][unit] = cues }

    package mutating func remove(track: Int, unit: Int) { units[track]?[unit] = nil }

    package mutating func remove(track: Int) { units[track] = nil }

    package func has(track: Int, unit: Int) -> Bool { units[track]?[unit] != nil }

    /// The units of a track that are there.
    package func units(of track: Int) -> Set<Int> { Set(units[track, default: [:]].keys) }

    /// Everything that is there of some tracks and units, in order. What has the same start, end and content as another cue
    /// of its track is there once. An open cue ends where the next of its track starts, where that is known.
    package func cues(of tracks: Set<Int>, in range: ClosedRange<Int>? = nil) -> [Cue] {
        var all: [Cue] = []
        for track in tracks.sorted() {
            let known = units[track, default: [:]]
            let wanted = known.keys.filter { range?.contains($0) ?? true }.sorted()
            var seen: Set<UInt64> = []
            for unit in wanted {
                all += (known[unit] ?? []).filter { seen.insert($0.id).inserted }
            }
        }
        return Self.closed(Self.ordered(all))
    }

    /// By start, then track. What is equal in both stays in its order.
    static func ordered(_ cues: [Cue]) -> [Cue] {
        cues.enumerated().sorted { first, second in
            (first.element.start, first.element.track, first.offset)
                < (second.element.start, second.element.track, second.offset)
        }.map(\.element)
    }

    /// Open cues end where the next of their track starts that does not start with them.
    ///
    /// - Parameter cues: in order.
    static func closed(_ cues: [Cue]) -> [Cue] {
        guard cues.contains(where: { $0.end == nil }) else { return cues }
        var result = cues
        /// By track: the earliest start that is known so far, and the one behind it.
        var starts: [Int: (first: MediaTime, second: MediaTime?)] = [:]
        for place in cues.indices.reversed() {
            let (track, start) = (cues[place].track, cues[place].start)
            if let known = starts[track] {
                if known.first > start { starts[track] = (start, known.first) }
            } else {
                starts[track] = (start, nil)
            }
            if cues[place].end == nil, let next = starts[track]?.second { result[place] = cues[place].closed(at: next) }
        }
        return result
    }
}
