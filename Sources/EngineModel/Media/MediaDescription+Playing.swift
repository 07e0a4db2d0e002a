// SPDX-License-Identifier: Apache-2.0

// The played streams of a source: its video, and one of its audio tracks.
extension MediaDescription {
    package var playedVideo: StreamDescription? { streams.first { $0.kind == .video && $0.route.isPlayed } }

    /// How the played streams reach the player. The most processed stream decides: software, then bridge, then remux.
    /// `nil` if the source has neither video nor this audio track.
    ///
    /// - Parameter audio: the stream index of the audio track.
    package func route(playing audio: Int?) -> Route? {
        let heard = streams.first { $0.kind == .audio && $0.index == audio }
        let played = [playedVideo ?? ownStreams.first { $0.kind == .video }, heard].compactMap(\.self)
        guard !played.isEmpty else { return nil }
        let reason = played.map { "\($0.codec.rawValue) stream \($0.index): \($0.route.reason)" }
            .joined(separator: "; ")
        let words = Set(played.map(\.route.word))
        if words.contains("software") { return .software(reason) }
        if words.contains("bridge") { return .bridge(reason) }
        return words.contains("remux") ? .remux(reason) : Route.none(reason)
    }

    /// The video format that the player receives; on the software path, the decoded format. `nil` if no video is
    /// played.
    package var videoFormat: VideoFormat? {
        playedVideo.map { $0.delivery?.videoFormat ?? $0.video?.sourceVideoFormat ?? .sdr }
    }

    package var sourceVideoFormat: VideoFormat? { playedVideo?.video?.sourceVideoFormat }
}
