// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging
internal import Reading

/// Follows the versions of the video configuration as they are announced.
struct VersionNews {
    private var told = 0

    /// Publishes what has changed since the last call.
    mutating func publish(_ source: OpenedSource, _ plan: SegmentPlan, to hub: EventHub, _ id: SessionID) {
        guard let (track, notice) = news(of: source, by: plan) else { return }
        let lead = source.lead.stream.index
        hub.update(id) { state in
            state.media?.streams[lead].delivery?.codecString = track.codecString
            guard let video = track.video else { return }
            state.media?.streams[lead].video?.width = video.width
            state.media?.streams[lead].video?.height = video.height
            state.media?.streams[lead].video?.sampleAspectRatio = video.sampleAspectRatio
        }
        hub.notice(id, notice)
    }

    /// What has changed since the last call: the track that covers all announced versions, as in the master playlist,
    /// and a notice that names the latest version. `nil` when nothing has changed.
    private mutating func news(of source: OpenedSource, by plan: SegmentPlan) -> (track: Track, notice: Notice)? {
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
