// SPDX-License-Identifier: Apache-2.0

/// Follows a WebVTT playlist and checks that each cue is in every segment during which it is shown (RFC 8216 §3.5).
package struct TextTimelineCheck: Sendable {
    private static let rule = "RFC 8216 §3.5"
    /// Cue times are rounded to milliseconds.
    private static let tolerance = 0.002

    private var time = 0.0
    /// Cues that continue beyond the previous segment.
    private var open: Set<TextSegmentFacts.Cue> = []
    /// All cues seen so far, without duplicates.
    package private(set) var cues: Set<TextSegmentFacts.Cue> = []
    package private(set) var problems: [ValidationProblem] = []

    package init() {}

    package mutating func add(_ segment: ParsedPlaylist.Segment, _ facts: TextSegmentFacts) {
        let end = time + segment.duration
        let here = Set(facts.cues)
        for cue in open.subtracting(here).sorted(by: { $0.start < $1.start }) {
            note(segment, "the cue at \(cue.start) s is active in this segment but missing from it")
        }
        for cue in facts.cues where cue.end < time - Self.tolerance {
            note(segment, "the cue at \(cue.start) s ends before the segment begins")
        }
        open = here.filter { $0.end > end + Self.tolerance }
        cues.formUnion(here)
        time = end
    }

    private mutating func note(_ segment: ParsedPlaylist.Segment, _ message: String) {
        problems.append(ValidationProblem(Self.rule, segment.uri, message))
    }
}
