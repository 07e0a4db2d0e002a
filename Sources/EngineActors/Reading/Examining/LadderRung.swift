// SPDX-License-Identifier: Apache-2.0

internal import Bindings
package import EngineModel
internal import Packaging

/// A smaller size of the video that players may switch to. It has the boundaries of the video that the session plays,
/// and is encoded from the same packets.
package struct LadderRung: Sendable {
    package let variant: SourceVariant
    package let track: PlayedTrack

    /// - Parameters:
    ///   - index: `SourceVariant.index`.
    ///   - track: with a video bridge.
    init(_ index: Int, _ track: PlayedTrack) {
        self.track = track
        var variant = SourceVariant(playing: track, index: index)
        variant.bandwidth = Int64(track.videoBridge?.maximumBitRate ?? 0)
        variant.use = .offered
        variant.reason = "encoded when a player requests it"
        self.variant = variant
    }
}

extension SourceVariant {
    /// The description of a video as it is served, without bandwidth and use.
    fileprivate init(playing track: PlayedTrack, index: Int) {
        self.init(index: index)
        let video = track.track.video ?? VideoProperties()
        let size = DisplaySize(video)
        (width, height) = (size.width, size.height)
        frameRate = video.frameRate?.value ?? 0
        codecs = [track.track.codecString]
        videoRange = VideoRange(video.color).rawValue
    }

    /// The video that the session plays, of a source that has no variants of its own but a ladder.
    static func whole(_ lead: PlayedTrack, bitRate: UInt64) -> SourceVariant {
        var variant = SourceVariant(playing: lead, index: 0)
        variant.averageBandwidth = Int64(clamping: bitRate)
        variant.use = .played
        variant.reason = "the source in its full size"
        return variant
    }
}

extension OpenedSource {
    /// The source with the video of a rung as its only track. `nil` if it has no such rung.
    ///
    /// - Parameter index: `SourceVariant.index`.
    package func rung(_ index: Int) -> OpenedSource? {
        guard let rung = ladder.first(where: { $0.variant.index == index }) else { return nil }
        var source = self
        source.tracks = [rung.track]
        source.trackEnds = Array(trackEnds.prefix(1))
        // A rung has neither audio nor smaller sizes, and the notices are published with the source itself.
        (source.notices, source.ladder, source.soundLevels) = ([], [], nil)
        // Decisions about versions hold for one leading track.
        source.videoVersions = videoVersions.blank
        return source
    }
}
