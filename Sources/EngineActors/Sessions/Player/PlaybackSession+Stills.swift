// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import Packaging
internal import Reading
internal import Stills

/// The extractor that makes a source's stills, with what is known about the source.
struct SessionStills: Sendable {
    let extractor: FrameExtractor
    var plan: SegmentPlan?
    var duration: MediaTime?
}

extension PlaybackSession {
    /// `nil` while the source is not open.
    func stillSubject() -> SessionStills? {
        guard let media = media.opened, !isStopped else { return nil }
        return SessionStills(
            extractor: serving.frameExtractor(of: media.source),
            plan: media.plan,
            duration: media.duration
        )
    }
}
