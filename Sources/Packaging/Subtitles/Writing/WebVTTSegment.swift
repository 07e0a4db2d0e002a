// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// One segment of a WebVTT rendition (RFC 8216 §3.5): a file of its own with every cue that is on in it.
package enum WebVTTSegment {
    /// Times of cues are those of the session's timeline, where presentation times of the other renditions are too: both start
    /// at 0, behind every discontinuity as before it.
    package static let header = "WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:0,LOCAL:00:00:00.000\n\n"

    /// The same bytes for the same arguments, always.
    ///
    /// - Parameters:
    ///   - cues: those that are on in `range`, in order. Pictures are left out.
    ///   - range: what the segment is for. A cue that nothing ends is on up to its end.
    package static func bytes(of cues: [Cue], in range: MediaTimeRange) -> [UInt8] {
        var text = header
        for cue in cues {
            let cue = cue.end == nil ? cue.closed(at: range.end) : cue
            // WebVTT has no cue without length; such a one is never on the screen.
            guard isLong(cue) else { continue }
            text += WebVTTWriter.block(cue)
        }
        return Array(text.utf8)
    }

    /// Whether it has a length in milliseconds.
    private static func isLong(_ cue: Cue) -> Bool {
        CueClock.webVTT(cue.start.microseconds) != CueClock.webVTT((cue.end ?? cue.start).microseconds)
    }
}
