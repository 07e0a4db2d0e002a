// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Packaging

/// Follows the versions of the video's configuration as they are announced.
struct VersionNews {
    private var told = 0

    /// What there is to tell since the last time: the track that covers all announced versions, as the master playlist has
    /// it, and a notice that names the latest. `nil` when nothing has changed.
    mutating func news(of source: OpenedSource, by plan: SegmentPlan) -> (track: Track, notice: Notice)? {
        let changes = plan.announcedChanges
        guard changes.count > told, let last = changes.last else { return nil }
        told = changes.count
        let versions = source.announcedVersions(of: plan)
        let lead = source.lead
        let start = MediaTime(lead.timelineTicks(plan.boundaries[last.firstSegment].time), in: lead.track.timeBase)
        var text =
            "the video's parameter sets change \(changes.count) times; each change is a discontinuity with an init segment "
        text += "of its own; from \(start.seconds) s on it is "
        if let video = versions.last?.video { text += "\(video.width)x\(video.height), " }
        text += versions.last?.codecString ?? ""
        return (lead.track.covering(versions), Notice(.info, "video.parameter_sets_change", text))
    }
}

extension OpenedSource {
    /// The leading track from each announced change on.
    func announcedVersions(of plan: SegmentPlan) -> [Track] {
        plan.announcedChanges.indices.map { track(0, version: $0 + 1, of: plan).track }
    }
}
