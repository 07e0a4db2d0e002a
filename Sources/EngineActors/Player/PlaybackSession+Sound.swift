// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Packaging

// What those need who read the source beside playback.
extension PlaybackSession {
    /// Returns when the source is open, or will never be.
    func untilOpen() async {
        if media == nil, !isStopped { await withCheckedContinuation { waiting.append($0) } }
    }

    /// `nil` once the session is over.
    var openedMedia: (source: OpenedSource, plan: SegmentPlan)? {
        guard !isStopped, let media else { return nil }
        return (media.source, media.plan)
    }
}
