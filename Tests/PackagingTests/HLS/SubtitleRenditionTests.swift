// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Packaging
import Testing
import Validation

@Suite("Subtitles in a master playlist", .timeLimit(.minutes(10)))
struct SubtitleRenditionTests {
    private func track(
        _ id: Int,
        _ language: String,
        _ dispositions: [String] = [],
        title: String = ""
    ) -> SubtitleTrack {
        SubtitleTrack(
            id: id,
            codec: CodecID(rawValue: "subrip"),
            language: language,
            title: title,
            dispositions: dispositions,
            isText: true,
            origin: .embedded(stream: id)
        )
    }

    private func master(_ tracks: [SubtitleTrack], default shown: Int?) -> MasterPlaylist {
        var video = Track(codec: .h264, timescale: 90_000)
        video.codecString = "avc1.64000C"
        var properties = VideoProperties()
        (properties.width, properties.height, properties.frameRate) = (320, 180, Ratio(25, 1))
        video.video = properties
        var playlist = MasterPlaylist()
        playlist.video = video
        playlist.videoURI = "v.m3u8"
        playlist.bandwidth = 1000
        playlist.keyframesURI = "k.m3u8"
        playlist.subtitles = tracks.map { .init(track: $0, uri: "s-\($0.id).m3u8", isDefault: $0.id == shown) }
        return playlist
    }

    private func lines(_ playlist: MasterPlaylist, _ tag: String) -> [String] {
        String(decoding: playlist.bytes, as: UTF8.self).split(separator: "\n").map(String.init).filter {
            $0.hasPrefix(tag)
        }
    }

    @Test("Track properties of the source appear in the playlist, the default first")
    func attributes() {
        let playlist = master(
            [
                track(2, "fre", title: "Le \"texte\""), track(3, "ger", ["forced"]),
                track(4, "eng", ["hearing_impaired"]),
                track(5, ""),
            ],
            default: 3
        )
        #expect(
            lines(playlist, "#EXT-X-MEDIA:") == [
                #"#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="subtitles",NAME="German",LANGUAGE="de",DEFAULT=YES,AUTOSELECT=YES,"#
                    + #"FORCED=YES,URI="s-3.m3u8""#,
                #"#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="subtitles",NAME="Le 'texte'",LANGUAGE="fr",DEFAULT=NO,"#
                    + #"AUTOSELECT=YES,FORCED=NO,URI="s-2.m3u8""#,
                #"#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="subtitles",NAME="English",LANGUAGE="en",DEFAULT=NO,AUTOSELECT=YES,"#
                    + #"FORCED=NO,CHARACTERISTICS="public.accessibility.transcribes-spoken-dialog,"#
                    + #"public.accessibility.describes-music-and-sound",URI="s-4.m3u8""#,
                #"#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="subtitles",NAME="Subtitles 4",DEFAULT=NO,AUTOSELECT=YES,FORCED=NO,"#
                    + #"URI="s-5.m3u8""#,
            ]
        )
        #expect(lines(playlist, "#EXT-X-STREAM-INF:").allSatisfy { $0.contains(#",SUBTITLES="subtitles""#) })
        #expect(PlaylistRules.problems(of: PlaylistParser.parse(playlist.bytes, uri: "m")).isEmpty)
    }

    @Test("Only one of several indistinguishable tracks may be selected automatically, and no commentary")
    func choices() {
        let playlist = master(
            [
                track(2, "eng"), track(3, "eng"), track(4, "eng", ["comment"]), track(5, "eng", ["forced"]),
                track(6, "ger"),
            ],
            default: nil
        )
        let lines = lines(playlist, "#EXT-X-MEDIA:")
        #expect(lines.map { $0.contains("AUTOSELECT=YES") } == [true, false, false, true, true])
        #expect(lines.allSatisfy { $0.contains("DEFAULT=NO") })
        #expect(Set(lines.compactMap { $0.split(separator: "NAME=\"").last?.prefix { $0 != "\"" } }).count == 5)
    }

    @Test("The default takes precedence over an indistinguishable track")
    func defaultIsChosen() {
        let lines = lines(master([track(2, "eng"), track(3, "eng")], default: 3), "#EXT-X-MEDIA:")
        #expect(lines.map { $0.contains("AUTOSELECT=YES") } == [true, false])
        #expect(lines[0].contains("DEFAULT=YES") && lines[0].contains("s-3.m3u8"))
    }

    @Test("Without text tracks there are no subtitle attributes")
    func none() {
        #expect(!String(decoding: master([], default: nil).bytes, as: UTF8.self).contains("SUBTITLES"))
    }

    @Test("The I-frame stream has no frame rate, audio or subtitles")
    func keyframes() {
        let playlist = master([track(2, "eng")], default: nil)
        #expect(
            lines(playlist, "#EXT-X-I-FRAME-STREAM-INF:") == [
                "#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1000,CODECS=\"avc1.64000C\",RESOLUTION=320x180,VIDEO-RANGE=SDR,"
                    + "URI=\"k.m3u8\""
            ]
        )
    }

    @Test("A WebVTT playlist has no init segment; an I-frame playlist has EXT-X-I-FRAMES-ONLY")
    func mediaPlaylists() {
        var text = MediaPlaylist(kind: .vod, boundaries: (0...2).map { .seconds(Double($0) * 4) })
        text.initURI = nil
        text.discontinuities = [.init(segment: 1, initURI: nil)]
        text.segmentSuffix = ".vtt"
        #expect(
            String(decoding: text.bytes, as: UTF8.self) == """
                #EXTM3U
                #EXT-X-VERSION:7
                #EXT-X-TARGETDURATION:4
                #EXT-X-MEDIA-SEQUENCE:0
                #EXT-X-PLAYLIST-TYPE:VOD
                #EXTINF:4.000000,
                0.vtt
                #EXT-X-DISCONTINUITY
                #EXTINF:4.000000,
                1.vtt
                #EXT-X-ENDLIST

                """
        )
        var keyframes = MediaPlaylist(kind: .vod, boundaries: text.boundaries)
        keyframes.isKeyframesOnly = true
        let parsed = PlaylistParser.parse(keyframes.bytes, uri: "k")
        #expect(parsed.isKeyframesOnly && PlaylistRules.problems(of: parsed).isEmpty)
    }
}
