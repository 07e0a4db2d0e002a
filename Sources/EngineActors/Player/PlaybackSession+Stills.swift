// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Packaging

/// Who makes the stills of a source, and what is known of it.
struct StillSubjectOfSession: Sendable {
    let extractor: FrameExtractor
    var plan: SegmentPlan?
    var duration: MediaTime?
}

extension PlaybackSession {
    /// `nil` while the source is not open.
    func stillSubject() -> StillSubjectOfSession? {
        guard let media, !isStopped else { return nil }
        let made = extractor ?? FrameExtractor(.opened(media.source))
        extractor = made
        return StillSubjectOfSession(extractor: made, plan: media.plan, duration: duration)
    }
}
