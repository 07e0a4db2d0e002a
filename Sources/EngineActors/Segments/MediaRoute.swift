// SPDX-License-Identifier: Apache-2.0

package import EngineModel
package import Reading

/// A session's answer to an HTTP request.
package enum MediaResource: Sendable {
    case playlist([UInt8])
    case initSegment(ByteBody, isVideo: Bool)
    /// `version` changes whenever a changed source may give other bytes for the same path. `nil` if changes of the
    /// source cannot be detected.
    case segment(ByteBody, isVideo: Bool, version: String?)
    /// Any other resource.
    case file(ByteBody, mimeType: String)
    case notFound
    /// The resource exists or will exist, but cannot be served yet.
    case notReady
    /// The session has been stopped.
    case gone
    /// The source no longer keeps the media of the resource.
    case dropped(EngineError)
    case failed(EngineError)
}

/// The paths below a session's token.
///
/// `master.m3u8`, or `master.m3u8?audio=2` to choose the default audio track; `video.m3u8` and `audio-1.m3u8` for one
/// track each; `video/init.mp4` and `video/17.m4s` for the segments of a track, `video/17.3.m4s` for a part of one;
/// `video/init-1.mp4` for its init from the first change of its configuration on. `subtitles-2.m3u8` for a text track
/// by its id, and `subtitles-2/17.vtt` for its segments; `keyframes.m3u8` for the I-frame playlist, and
/// `video/keyframe-17.m4s` for one keyframe, counted from 0; `storyboard.vtt` for the index of the storyboard, and
/// `storyboard/2.jpg` for one of its sheets; `cover` for the cover.
///
/// The prefix `variant-3/` names the resources of another variant of the source; 3 is its `SourceVariant.index`.
///
/// A delayed rendition has resources of its own, whose names end with the delay in milliseconds:
/// `audio-1-later-250.m3u8`, `subtitles-2-earlier-1500/17.vtt`. `master.m3u8?audio-delay=250&subtitle-delay=-1500`
/// lists such renditions.
package enum MediaRoute: Hashable {
    /// `audio` is the stream index of the default audio track. If `audio` or `delays` is `nil`, the session's own value
    /// applies.
    case master(audio: Int?, delays: Delays?)
    case playlist(track: Int, delay: MediaTime, reload: PlaylistReload = PlaylistReload())
    case initSegment(track: Int, version: Int)
    case segment(track: Int, index: Int, delay: MediaTime)
    /// A part of a live segment.
    case part(track: Int, segment: Int, index: Int)
    /// `track` is a `SubtitleTrack.id`, which may not exist.
    case subtitlePlaylist(track: Int, delay: MediaTime)
    case subtitleSegment(track: Int, index: Int, delay: MediaTime)
    case keyframePlaylist
    case keyframe(index: Int)
    case storyboard
    case storyboardSheet(index: Int)
    case cover

    package static let coverPath = "cover"

    package init?(_ path: String, query: String, source: OpenedSource) {
        if path == "master.m3u8" {
            guard let master = Self.master(query) else { return nil }
            self = master
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
            let (plain, delay) = RenditionDelay.split(name, in: Delays.audioRange),
            let track = source.tracks.indices.first(where: { Playlists.name(ofTrack: $0, in: source) == plain }),
            delay == .zero || source.canDelay(track)
        else { return nil }
        if parts.count == 1, parts[0] == "\(name).m3u8" {
            self = .playlist(track: track, delay: delay, reload: PlaylistReload(query))
        } else if delay != .zero {
            guard parts.count == 2, parts[0] == name, parts[1].hasSuffix(".m4s"),
                let index = Self.index(parts[1].dropLast(4))
            else { return nil }
            self = .segment(track: track, index: index, delay: delay)
        } else if parts.count == 2, parts[0] == name, parts[1] == "init.mp4" {
            self = .initSegment(track: track, version: 0)
        } else if parts.count == 2, parts[0] == name, parts[1].hasPrefix("init-"), parts[1].hasSuffix(".mp4"),
            let version = Self.index(parts[1].dropFirst(5).dropLast(4)), version > 0
        {
            self = .initSegment(track: track, version: version)
        } else if parts.count == 2, parts[0] == name, parts[1].hasSuffix(".m4s"),
            let index = Self.index(parts[1].dropLast(4))
        {
            self = .segment(track: track, index: index, delay: .zero)
        } else if parts.count == 2, parts[0] == name, parts[1].hasSuffix(".m4s"),
            let part = Self.part(parts[1].dropLast(4))
        {
            self = .part(track: track, segment: part.segment, index: part.index)
        } else {
            return nil
        }
    }

    /// The index of the variant that a path names, and the path below its prefix. `nil` for a path of the source
    /// itself.
    package static func variant(_ path: String) -> (index: Int, path: String)? {
        guard path.hasPrefix(Playlists.variantPrefix), let slash = path.firstIndex(of: "/"),
            let index = index(path[..<slash].dropFirst(Playlists.variantPrefix.count))
        else { return nil }
        return (index, String(path[path.index(after: slash)...]))
    }

    private static func subtitles(_ parts: [Substring]) -> MediaRoute? {
        guard let first = parts.first, first.hasPrefix(Playlists.subtitlePrefix) else { return nil }
        let rest = first.dropFirst(Playlists.subtitlePrefix.count)
        let isPlaylist = parts.count == 1 && rest.hasSuffix(".m3u8")
        guard let (plain, delay) = RenditionDelay.split(isPlaylist ? rest.dropLast(5) : rest, in: Delays.subtitleRange),
            let track = index(plain)
        else { return nil }
        if isPlaylist { return .subtitlePlaylist(track: track, delay: delay) }
        guard parts.count == 2, parts[1].hasSuffix(".vtt"), let segment = index(parts[1].dropLast(4)) else {
            return nil
        }
        return .subtitleSegment(track: track, index: segment, delay: delay)
    }

    private static let audioDelay = "audio-delay"
    private static let subtitleDelay = "subtitle-delay"

    private static func master(_ query: String) -> MediaRoute? {
        var stream: Int?
        var delays: Delays?
        for part in query.split(separator: "&") {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = pair.first.map(String.init), ["audio", audioDelay, subtitleDelay].contains(name) else {
                continue
            }
            guard pair.count == 2 else { return nil }
            if name == "audio" {
                guard let index = index(pair[1]) else { return nil }
                stream = index
            } else {
                guard pair[1].utf8.count <= 9, let milliseconds = Int64(pair[1]) else { return nil }
                let delay = MediaTime(microseconds: milliseconds * 1000)
                let old = delays ?? Delays()
                delays =
                    name == audioDelay
                    ? Delays(audio: delay, subtitles: old.subtitles) : Delays(audio: old.audio, subtitles: delay)
            }
        }
        return .master(audio: stream, delays: delays)
    }

    /// The query of a master playlist with these delays. Empty if there are none.
    package static func query(of delays: Delays) -> String {
        guard delays != Delays() else { return "" }
        return "\(audioDelay)=\(delays.audio.microseconds / 1000)"
            + "&\(subtitleDelay)=\(delays.subtitles.microseconds / 1000)"
    }

    /// Parses the names of resources that only a source with video has.
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

    /// Parses the name of a part, such as `17.3`.
    private static func part(_ name: Substring) -> (segment: Int, index: Int)? {
        let numbers = name.split(separator: ".", omittingEmptySubsequences: false)
        guard numbers.count == 2, let segment = index(numbers[0]), let part = index(numbers[1]) else { return nil }
        return (segment, part)
    }

    /// Parses decimal digits without a sign or leading zeros, so that each segment has only one name.
    static func index(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.count <= 9, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        guard text.count == 1 || text.first != "0" else { return nil }
        return Int(text)
    }
}

/// The delay that ends the name of a rendition.
enum RenditionDelay {
    private static let later = "-later-"
    private static let earlier = "-earlier-"

    /// The suffix for a delay. Empty for none.
    static func suffix(_ delay: MediaTime) -> String {
        guard delay != .zero else { return "" }
        return "\(delay > .zero ? later : earlier)\(delay.microseconds.magnitude / 1000)"
    }

    /// Splits a name into the name without delay, and the delay. `nil` for a delay outside `range`, or in another form
    /// than `suffix` writes.
    static func split(_ name: Substring, in range: ClosedRange<MediaTime>) -> (name: Substring, delay: MediaTime)? {
        for (word, sign) in [(later, Int64(1)), (earlier, -1)] {
            guard let place = name.firstRange(of: word) else { continue }
            guard let milliseconds = MediaRoute.index(name[place.upperBound...]), milliseconds > 0 else { return nil }
            let delay = MediaTime(microseconds: sign * Int64(milliseconds) * 1000)
            return range.contains(delay) ? (name[..<place.lowerBound], delay) : nil
        }
        return (name, .zero)
    }
}

extension OpenedSource {
    /// Whether a track can be delayed: a track beside a leading video.
    func canDelay(_ track: Int) -> Bool { track > 0 && lead.kind == .video }
}
