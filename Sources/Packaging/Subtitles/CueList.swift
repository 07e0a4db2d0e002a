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
    /// About what the cues take in memory.
    package private(set) var byteCount = 0

    /// Text of which nothing says how long it is on is on no longer than this.
    package static let longestText = MediaTime.seconds(120)

    package init() {}

    /// - Parameter cues: in the order of the source.
    package mutating func set(_ cues: [Cue], track: Int, unit: Int) {
        remove(track: track, unit: unit)
        units[track, default: [:]][unit] = cues
        byteCount += cues.reduce(0) { $0 + $1.weight }
    }

    package mutating func remove(track: Int, unit: Int) {
        byteCount -= units[track]?.removeValue(forKey: unit)?.reduce(0) { $0 + $1.weight } ?? 0
    }

    /// The cues of one unit, in the order of the source. None where it is not there.
    package func unit(track: Int, unit: Int) -> [Cue] { units[track]?[unit] ?? [] }

    /// Gives up units until the rest is small enough, those farthest from `place` first, but for one that stays.
    package mutating func shrink(to limit: Int, keepingNear place: Int, butFor last: (track: Int, unit: Int)) {
        guard byteCount > limit else { return }
        let all = units.flatMap { track, units in units.keys.map { (track: track, unit: $0) } }
        for key in all.sorted(by: { abs($0.unit - place) > abs($1.unit - place) }) where key != last {
            guard byteCount > limit else { return }
            remove(track: key.track, unit: key.unit)
        }
    }

    package func has(track: Int, unit: Int) -> Bool { units[track]?[unit] != nil }

    /// The units of a track that are there.
    package func units(of track: Int) -> Set<Int> { Set(units[track, default: [:]].keys) }

    /// Everything that is there of some tracks and units, in order. What has the same start, end and content as another cue
    /// of its track is there once. Open cues and pictures end where the next of their track starts, where that is known.
    ///
    /// - Parameters:
    ///   - range: of units. `nil`: all.
    ///   - more: units beside it.
    package func cues(of tracks: Set<Int>, in range: ClosedRange<Int>? = nil, and more: Set<Int> = []) -> [Cue] {
        var all: [Cue] = []
        for track in tracks.sorted() {
            let known = units[track, default: [:]]
            let wanted = known.keys.filter { range?.contains($0) ?? true || more.contains($0) }.sorted()
            var seen: Set<UInt64> = []
            for unit in wanted {
                all += (known[unit] ?? []).filter { seen.insert($0.id).inserted }
            }
        }
        return Self.closed(Self.ordered(all))
    }

    /// Two lists in order as one.
    package static func merged(_ first: [Cue], _ second: [Cue]) -> [Cue] { ordered(first + second) }

    /// By start, then track. What is equal in both stays in its order.
    static func ordered(_ cues: [Cue]) -> [Cue] {
        cues.enumerated().sorted { first, second in
            (first.element.start, first.element.track, first.offset)
                < (second.element.start, second.element.track, second.offset)
        }.map(\.element)
    }

    /// Open cues end where the next of their track starts that does not start with them, and so do pictures: of these no more
    /// is on than the latest. What only ends others is left out.
    ///
    /// - Parameter cues: in order.
    static func closed(_ cues: [Cue]) -> [Cue] {
        guard cues.contains(where: \.endsWithNext) else { return cues }
        var result: [Cue] = []
        /// By track: the earliest start that is known so far, and the one behind it.
        var starts: [Int: (first: MediaTime, second: MediaTime?)] = [:]
        for cue in cues.reversed() {
            if let known = starts[cue.track] {
                if known.first > cue.start { starts[cue.track] = (cue.start, known.first) }
            } else {
                starts[cue.track] = (cue.start, nil)
            }
            guard cue.content != .nothing else { continue }
            let next = cue.endsWithNext ? starts[cue.track]?.second : nil
            result.append(next.map { cue.closed(at: min($0, cue.latestEnd)) } ?? cue)
        }
        return result.reversed()
    }
}

extension Cue {
    /// Whether the next of its track may end it.
    var endsWithNext: Bool {
        if case .text = content { end == nil } else { true }
    }

    /// Where it ends by itself at the latest.
    fileprivate var latestEnd: MediaTime {
        if case .text = content { end ?? start + CueList.longestText } else { end ?? MediaTime(microseconds: .max) }
    }
}

extension Cue {
    /// About what it takes in memory, in bytes.
    package var weight: Int {
        switch content {
        case .text(let text): 256 + 3 * text.plain.utf8.count + 96 * text.runs.count + (text.raw?.utf8.count ?? 0)
        case .image(let image): 256 + image.png.count
        case .nothing: 128
        }
    }
}
