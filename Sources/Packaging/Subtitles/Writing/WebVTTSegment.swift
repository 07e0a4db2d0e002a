// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// One segment of a WebVTT rendition (RFC 8216 §3.5): a complete file with every cue shown during the segment.
package enum WebVTTSegment {
    /// Cue times are on the session's timeline, as are the presentation times of the other renditions. Discontinuities
    /// change neither.
    package static let header = "WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:0,LOCAL:00:00:00.000\n\n"

    /// Deterministic: the same arguments always give the same bytes.
    ///
    /// - Parameters:
    ///   - cues: the cues shown in `range`, in order. Images are skipped.
    ///   - range: the segment's time range. An open cue lasts until its end.
    package static func bytes(of cues: [Cue], in range: MediaTimeRange) -> [UInt8] {
        var text = header
        for cue in cues {
            let cue = cue.end == nil ? cue.closed(at: range.end) : cue
            // WebVTT does not allow cues without duration. Such a cue is never visible.
            guard isLong(cue) else { continue }
            text += WebVTTWriter.block(cue)
        }
        return Array(text.utf8)
    }

    /// Whether the cue's duration is non-zero in milliseconds.
    private static func isLong(_ cue: Cue) -> Bool {
        CueClock.webVTT(cue.start.microseconds) != CueClock.webVTT((cue.end ?? cue.start).microseconds)
    }
}
