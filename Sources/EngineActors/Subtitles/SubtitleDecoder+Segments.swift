// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Packaging

/// What one segment of a track of subtitles holds.
struct SubtitleSegment: Sendable {
    /// Those that are on in it, in order.
    let cues: [Cue]
    let range: MediaTimeRange
}

extension SubtitleDecoder {
    /// A function of the source and the index: of what the segments around it hold, once these are planned.
    ///
    /// - Throws: `trackNotFound`, `cancelled`, or why the source cannot be read.
    func segment(_ index: Int, of track: Int) async throws(EngineError) -> SubtitleSegment {
        // What lies in the file behind the last planned segment may grow still.
        while index + 1 >= units.count, !units.plan.isComplete, !isStopped, !Task.isCancelled {
            await withCheckedContinuation { planWaiters.append($0) }
        }
        guard !isStopped, !Task.isCancelled else { throw EngineError(.cancelled, "nobody waits any more") }
        let cues = try await cues(of: track, inSegment: index)
        let end = units.endTime(of: index) ?? units.plan.end.map { units.time($0) }
        return SubtitleSegment(
            cues: cues,
            range: MediaTimeRange(start: units.start(of: index), end: end ?? units.start(of: index))
        )
    }
}

extension SubtitleUnits {
    /// A time of the plan on the timeline.
    fileprivate func time(_ ticks: Int64) -> MediaTime {
        MediaTime(lead.timelineTicks(ticks), in: lead.track.timeBase)
    }
}
