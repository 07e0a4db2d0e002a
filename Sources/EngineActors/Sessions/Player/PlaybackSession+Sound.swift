// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Packaging
internal import Reading

// For audio taps, which read the source independently of playback.
extension PlaybackSession {
    /// Returns when the source is open, or when the session has ended without opening it.
    func untilOpen() async {
        if media.opened == nil, !isStopped { await withCheckedContinuation { serving.hold($0) } }
    }

    /// `nil` while the source is not open, and once the session has ended.
    var openedMedia: (source: OpenedSource, plan: SegmentPlan)? {
        guard !isStopped, let media = media.opened else { return nil }
        return (media.source, media.plan)
    }
}
