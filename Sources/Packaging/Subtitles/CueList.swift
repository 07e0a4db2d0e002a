// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// The cues of a source, in an order that does not depend on their arrival: by start, then track, then source order.
///
/// Cues arrive in units. A unit is everything that one track has in one part of the source. A unit that arrives again
/// replaces itself, so the list depends only on which units are present.
package struct CueList: Sendable {
    /// By track, then unit; each in source order.
    private var units: [Int: [Int: [Cue]]] = [:]
    /// The approximate memory used by the cues.
    package private(set) var byteCount = 0

    /// The maximum duration of text without a known end.
    package static let longestText = MediaTime.seconds(120)

    package init() {}

    /// - Parameter cues: in source order.
    package mutating func set(_ cues: [Cue], track: Int, unit: Int) {
        remove(track: track, unit: unit)
        units[track, default: [:]][unit] = cues
        byteCount += cues.reduce(0) { $0 + $1.weight }
    }

    package mutating func remove(track: Int, unit: Int) {
        byteCount -= units[track]?.removeValue(forKey: unit)?.reduce(0) { $0 + $1.weight } ?? 0
    }

    /// The cues of one unit, in source order. Empty if the unit is not present.
    package func unit(track: Int, unit: Int) -> [Cue] { units[track]?[unit] ?? [] }

    /// Removes units until the list is small enough, those farthest from `place` first, but never `last`.
    package mutating func shrink(to limit: Int, keepingNear place: Int, butFor last: (track: Int, unit: Int)) {
        guard byteCount > limit else { return }
        let all = units.flatMap { track, units in units.keys.map { (track: track, unit: $0) } }
        for key in all.sorted(by: { abs($0.unit - place) > abs($1.unit - place) }) where key != last {
            guard byteCount > limit else { return }
            remove(track: key.track, unit: key.unit)
        }
    }

    package func has(track: Int, unit: Int) -> Bool { units[track]?[unit] != nil }

    /// The units of a track that are present.
    package func units(of track: Int) -> Set<Int> { Set(units[track, default: [:]].keys) }

    /// All present cues of the given tracks and units, in order. Cues of a track with the same start, end and content
    /// appear only once. Open cues and images end where the next cue of their track starts, if that is known.
    ///
    /// - Parameters:
    ///   - range: of units. `nil`: all.
    ///   - more: additional units outside the range.
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

    /// Merges two lists in order.
    package static func merged(_ first: [Cue], _ second: [Cue]) -> [Cue] { ordered(first + second) }

    /// By start, then track. The sort is stable.
    static func ordered(_ cues: [Cue]) -> [Cue] {
        cues.enumerated().sorted { first, second in
            (first.element.start, first.element.track, first.offset)
                < (second.element.start, second.element.track, second.offset)
        }.map(\.element)
    }

    /// Closes open cues where the next cue of their track with a different start begins. The same applies to images,
    /// because only the latest image is shown. Cues that only end others are removed.
    ///
    /// - Parameter cues: in order.
    static func closed(_ cues: [Cue]) -> [Cue] {
        guard cues.contains(where: \.endsWithNext) else { return cues }
        var result: [Cue] = []
        /// By track: the earliest start seen so far, and the one after it.
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

extension Sequence<Cue> {
    /// The cues as text: without script lines and without events that show no text. Events that differ only in their
    /// appearance, such as the layers of one line, are one cue.
    package var readable: [Cue] {
        var seen: Set<CueAppearance> = []
        return compactMap(\.readable).filter { seen.insert(CueAppearance($0)).inserted }
    }
}

/// The properties of a cue that viewers can see.
private struct CueAppearance: Hashable {
    let track: Int
    let start: MediaTime
    let end: MediaTime?
    let content: Cue.Content

    init(_ cue: Cue) { (track, start, end, content) = (cue.track, cue.start, cue.end, cue.content) }
}

extension Cue {
    /// Whether the next cue of the track may end this one.
    var endsWithNext: Bool {
        if case .text = content { end == nil } else { true }
    }

    /// The latest time at which the cue ends by itself.
    fileprivate var latestEnd: MediaTime {
        if case .text = content { end ?? start + CueList.longestText } else { end ?? MediaTime(microseconds: .max) }
    }
}

extension Cue {
    /// The approximate memory used, in bytes.
    package var weight: Int {
        switch content {
        case .text(let text): 256 + 3 * text.plain.utf8.count + 96 * text.runs.count + (text.raw?.utf8.count ?? 0)
        case .image(let image): 256 + image.png.count
        case .nothing: 128
        }
    }
}
