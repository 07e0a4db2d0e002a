// SPDX-License-Identifier: Apache-2.0

package import EngineModel
internal import Packaging
internal import Reading

/// The contents of one segment of a subtitle rendition.
package struct SubtitleSegment: Sendable {
    /// The cues that are on screen during the segment, in order.
    package let cues: [Cue]
    package let range: MediaTimeRange
}

extension SubtitleDecoder {
    /// One segment of a track. Waits until the next segment is planned, so the result depends only on the source and
    /// the index.
    ///
    /// - Throws: `trackNotFound`, `cancelled`, or why the source cannot be read.
    package func segment(_ index: Int, of track: Int) async throws(EngineError) -> SubtitleSegment {
        // The last planned segment may still grow in the file.
        while index + 1 >= units.count, !units.plan.isComplete, !isStopped, !Task.isCancelled {
            await withCheckedContinuation { planWaiters.append($0) }
        }
        guard !isStopped, !Task.isCancelled else { throw EngineError(.cancelled, "the request was cancelled") }
        let cues = try await cues(of: track, inSegment: index)
        let end = units.endTime(of: index) ?? units.plan.end.map { units.time($0) }
        return SubtitleSegment(
            cues: cues,
            range: MediaTimeRange(start: units.start(of: index), end: end ?? units.start(of: index))
        )
    }
}

extension SubtitleUnits {
    /// Converts a time of the plan to the timeline.
    fileprivate func time(_ ticks: Int64) -> MediaTime {
        MediaTime(lead.timelineTicks(ticks), in: lead.track.timeBase)
    }
}
