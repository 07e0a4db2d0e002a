// SPDX-License-Identifier: Apache-2.0

package import EngineModel
package import Reading

/// What a session answers to an HTTP request.
package enum MediaResource: Sendable {
    case playlist([UInt8])
    case initSegment(ByteBody, isVideo: Bool)
    /// `version` is another one where the same path may have other bytes: for another state of the source. `nil` if those
    /// cannot be told apart.
    case segment(ByteBody, isVideo: Bool, version: String?)
    /// Any other resource.
    case file(ByteBody, mimeType: String)
    case notFound
    /// Exists or will exist, but cannot be served yet.
    case notReady
    /// The session has been stopped.
    case gone
    case failed(EngineError)
}

/// The paths below a session's token.
///
/// `master.m3u8`, or `master.m3u8?audio=2` to choose the default audio track; `video.m3u8` and `audio-1.m3u8` for one
/// track each; `video/init.mp4` and `video/17.m4s` below each; `video/init-1.mp4` from the first change of its
/// configuration on. `subtitles-2.m3u8` for a text track by its id, and `subtitles-2/17.vtt` below it; `keyframes.m3u8`
/// for the keyframes of the video, and `video/keyframe-17.m4s` for one of them, counted from 0; `storyboard.vtt` for
/// the positions of their thumbnails, and `storyboard/2.jpg` for a sheet of thumbnails; `cover` for the cover art.
package enum MediaRoute: Hashable {
    /// `audio` is the stream index of the default audio track. `nil`: the session's own default.
    case master(audio: Int?)
    case playlist(track: Int)
    case initSegment(track: Int, version: Int)
    case segment(track: Int, index: Int)
    /// `track` is a `SubtitleTrack.id`, which may not exist.
    case subtitlePlaylist(track: Int)
    case subtitleSegment(track: Int, index: Int)
    case keyframePlaylist
    case keyframe(index: Int)
    case storyboard
    case storyboardSheet(index: Int)
    case cover

    package static let coverPath = "cover"

    package init?(_ path: String, query: String, source: OpenedSource) {
        if path == "master.m3u8" {
            guard let audio = query.split(separator: "&").first(where: { $0.hasPrefix("audio=") }) else {
                self = .master(audio: nil)
                return
            }
            guard let stream = Self.index(audio.dropFirst("audio=".count)) else { return nil }
            self = .master(audio: stream)
            return
        }
        if path == Self.coverPath {
            self = .cover
            return
        }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        if let text = Self.subtitles(parts) {
            self = text
            return
        }
        if source.lead.kind == .video, let keyframes = Self.keyframes(parts) {
            self = keyframes
            return
        }
        guard let name = parts.first?.split(separator: ".").first,
            let track = source.tracks.indices.first(where: { Playlists.name(ofTrack: $0, in: source) == name })
        else { return nil }
        if parts.count == 1, parts[0] == "\(name).m3u8" {
            self = .playlist(track: track)
        } else if parts.count == 2, parts[0] == name, parts[1] == "init.mp4" {
            self = .initSegment(track: track, version: 0)
        } else if parts.count == 2, parts[0] == name, parts[1].hasPrefix("init-"), parts[1].hasSuffix(".mp4"),
            let version = Self.index(parts[1].dropFirst(5).dropLast(4)), version > 0
        {
            self = .initSegment(track: track, version: version)
        } else if parts.count == 2, parts[0] == name, parts[1].hasSuffix(".m4s"),
            let index = Self.index(parts[1].dropLast(4))
        {
            self = .segment(track: track, index: index)
        } else {
            return nil
        }
    }

    private static func subtitles(_ parts: [Substring]) -> MediaRoute? {
        guard let first = parts.first, first.hasPrefix(Playlists.subtitlePrefix) else { return nil }
        let rest = first.dropFirst(Playlists.subtitlePrefix.count)
        if parts.count == 1, rest.hasSuffix(".m3u8") {
            return index(rest.dropLast(5)).map { .subtitlePlaylist(track: $0) }
        }
        guard parts.count == 2, parts[1].hasSuffix(".vtt"), let track = index(rest),
            let segment = index(parts[1].dropLast(4))
        else { return nil }
        return .subtitleSegment(track: track, index: segment)
    }

    /// The resources that only a source with video has.
    private static func keyframes(_ parts: [Substring]) -> MediaRoute? {
        if parts.count == 1, parts[0] == Playlists.storyboardName { return .storyboard }
        if parts.count == 2, parts[0] == "storyboard", parts[1].hasSuffix(".jpg") {
            return index(parts[1].dropLast(4)).map { .storyboardSheet(index: $0) }
        }
        if parts.count == 1, parts[0] == Playlists.keyframesName { return .keyframePlaylist }
        guard parts.count == 2, parts[0] == "video", parts[1].hasPrefix(Playlists.keyframePrefix),
            parts[1].hasSuffix(".m4s")
        else { return nil }
        return index(parts[1].dropFirst(Playlists.keyframePrefix.count).dropLast(4)).map { .keyframe(index: $0) }
    }

    /// Decimal digits without a sign or leading zeros, so that a segment has one name only.
    private static func index(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.count <= 9, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        guard text.count == 1 || text.first != "0" else { return nil }
        return Int(text)
    }
}
