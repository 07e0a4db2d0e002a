// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineTestKit
import Testing

@testable import Segments

@Suite("The paths of a session's resources")
struct MediaRouteTests {
    private static func milliseconds(_ count: Int64) -> MediaTime { MediaTime(microseconds: count * 1000) }

    private func route(_ path: String, hasVideo: Bool = true) throws -> MediaRoute? {
        var described = DescribedSource()
        (described.hasVideo, described.hasAudio) = (hasVideo, true)
        let parts = path.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        return MediaRoute(parts[0], query: parts.count > 1 ? parts[1] : "", source: try described.opened())
    }

    @Test(
        "each path names one resource",
        arguments: [
            ("video.m3u8", .playlist(track: 0, delay: .zero)), ("audio-1.m3u8", .playlist(track: 1, delay: .zero)),
            ("audio-1-later-250.m3u8", .playlist(track: 1, delay: milliseconds(250))),
            ("video/init.mp4", .initSegment(track: 0, version: 0)),
            ("video/init-2.mp4", .initSegment(track: 0, version: 2)),
            ("video/0.m4s", .segment(track: 0, index: 0, delay: .zero)),
            ("audio-1/17.m4s", .segment(track: 1, index: 17, delay: .zero)),
            ("video/17.3.m4s", .part(track: 0, segment: 17, index: 3)),
            ("audio-1-earlier-40/17.m4s", .segment(track: 1, index: 17, delay: milliseconds(-40))),
            ("subtitles-2.m3u8", .subtitlePlaylist(track: 2, delay: .zero)),
            ("subtitles-2-earlier-1500/17.vtt", .subtitleSegment(track: 2, index: 17, delay: milliseconds(-1500))),
            ("keyframes.m3u8", .keyframePlaylist), ("video/keyframe-17.m4s", .keyframe(index: 17)),
            ("storyboard.vtt", .storyboard), ("storyboard/2.jpg", .storyboardSheet(index: 2)), ("cover", .cover),
        ] as [(String, MediaRoute)]
    )
    func resources(path: String, expected: MediaRoute) throws { #expect(try route(path) == expected) }

    @Test(
        "other paths are not found",
        arguments: [
            "", "/", "video", "video.m3u8/", "Video.m3u8", "audio-2.m3u8", "audio-1", "video/", "video/init",
            "video/init-0.mp4", "video/init-01.mp4", "video/17", "video/017.m4s", "video/-1.m4s", "video/+1.m4s",
            "video/1234567890.m4s", "video/1.m4s/x", "video/1.m4s.m4s", "audio-1/init.m4s", "video.x/1.m4s",
            "video/17..m4s", "video/17.03.m4s", "video/.3.m4s", "video/17.3.1.m4s", "audio-1-later-250/17.3.m4s",
            // Video and init segments cannot be delayed, and no delay may be 0 or outside the range of players' choices.
            "video-later-250.m3u8", "audio-1-later-250/init.mp4", "audio-1-later-0.m3u8", "audio-1-later-0250.m3u8",
            "audio-1-later-999999999.m3u8", "audio-1-later-.m3u8", "subtitles-2-later-999999999.m3u8",
            "subtitles-.m3u8", "subtitles-02.m3u8", "subtitles-2/17.m4s", "subtitles-2/x.vtt", "storyboard/02.jpg",
            "storyboard/2.png", "video/keyframe-.m4s", "audio-1/keyframe-17.m4s", "covers", "../video.m3u8",
        ]
    )
    func others(path: String) throws { #expect(try route(path) == nil) }

    @Test(
        "a source without video has no keyframes and no storyboard, and its audio cannot be delayed",
        arguments: [
            "keyframes.m3u8", "video/keyframe-0.m4s", "storyboard.vtt", "storyboard/0.jpg", "video.m3u8",
            "audio-0-later-250.m3u8",
        ]
    )
    func audioOnly(path: String) throws {
        #expect(try route("audio-0.m3u8", hasVideo: false) == .playlist(track: 0, delay: .zero))
        #expect(try route(path, hasVideo: false) == nil)
    }

    @Test(
        "the query of the master playlist chooses the audio track and the delays",
        arguments: [
            ("", .master(audio: nil, delays: nil)), ("audio=2", .master(audio: 2, delays: nil)),
            (
                "audio-delay=250&subtitle-delay=-1500&audio=1",
                .master(audio: 1, delays: Delays(audio: milliseconds(250), subtitles: milliseconds(-1500)))
            ),
            ("token=x&audio=1", .master(audio: 1, delays: nil)), ("audio", nil), ("audio=", nil), ("audio=-1", nil),
            ("audio-delay=1.5", nil), ("audio-delay=1234567890", nil),
        ] as [(String, MediaRoute?)]
    )
    func master(query: String, expected: MediaRoute?) throws {
        #expect(try route("master.m3u8?\(query)") == expected)
    }

    @Test(
        "a request for a media playlist may name the segment and the part that must be listed, and skip older segments",
        arguments: [
            ("", nil, nil, false), ("_HLS_msn=7", 7, nil, false), ("_HLS_msn=7&_HLS_part=0", 7, 0, false),
            ("x=1&_HLS_part=2&_HLS_skip=YES", nil, 2, true), ("_HLS_msn=x&_HLS_part", -1, -1, false),
            ("_HLS_msn=9223372036854775807", -1, nil, false), ("_HLS_skip=YES&_HLS_msn=7", 7, nil, true),
            ("_HLS_skip=v2", nil, nil, false), ("_HLS_skip=yes", nil, nil, false), ("_HLS_skip", nil, nil, false),
            ("_HLS_skip=YES=", nil, nil, false), ("x_HLS_skip=YES", nil, nil, false),
        ] as [(String, Int?, Int?, Bool)]
    )
    func reload(query: String, segment: Int?, part: Int?, skipsOlder: Bool) throws {
        var reload = PlaylistReload()
        (reload.segment, reload.part, reload.skipsOlder) = (segment, part, skipsOlder)
        #expect(try route("video.m3u8?\(query)") == .playlist(track: 0, delay: .zero, reload: reload))
    }

    @Test("the query that is made for delays is parsed as the same delays")
    func queries() throws {
        let delays = Delays(audio: Self.milliseconds(250), subtitles: Self.milliseconds(-1500))
        #expect(try route("master.m3u8?\(MediaRoute.query(of: delays))") == .master(audio: nil, delays: delays))
        #expect(MediaRoute.query(of: Delays()) == "")
    }

    @Test("a prefix names another variant")
    func variants() {
        #expect(MediaRoute.variant("variant-3/video/17.m4s").map { "\($0.index) \($0.path)" } == "3 video/17.m4s")
        for path in ["variant-3", "variant-/video.m3u8", "variant-03/video.m3u8", "video/17.m4s"] {
            #expect(MediaRoute.variant(path) == nil)
        }
    }
}
