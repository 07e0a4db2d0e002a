// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Packaging
import Testing
import Validation

@Suite struct MediaPlaylistTests {
    private func text(_ playlist: MediaPlaylist) -> String { String(decoding: playlist.bytes, as: UTF8.self) }

    @Test("A complete playlist is exactly as expected")
    func vod() {
        var playlist = MediaPlaylist(
            kind: .vod,
            boundaries: [0, 4_004_000, 8_508_000, 8_508_001].map(MediaTime.init(microseconds:))
        )
        playlist.segmentPrefix = "v/"
        #expect(
            text(playlist) == """
                #EXTM3U
                #EXT-X-VERSION:7
                #EXT-X-TARGETDURATION:5
                #EXT-X-MEDIA-SEQUENCE:0
                #EXT-X-PLAYLIST-TYPE:VOD
                #EXT-X-INDEPENDENT-SEGMENTS
                #EXT-X-MAP:URI="init.mp4"
                #EXTINF:4.004000,
                v/0.m4s
                #EXTINF:4.504000,
                v/1.m4s
                #EXTINF:0.000001,
                v/2.m4s
                #EXT-X-ENDLIST

                """
        )
    }

    @Test("Segments have their recording times where these are known, and keep them while the window moves")
    func dates() {
        var playlist = MediaPlaylist(
            kind: .window(hasEnded: false),
            boundaries: (0...3).map { MediaTime(microseconds: $0 * 4_000_000) }
        )
        playlist.dates = [WallTime(microseconds: 0), nil, WallTime(microseconds: 1_795_000_000_123_456)]
        playlist.discontinuities = [.init(segment: 2, initURI: nil)]
        let end = [
            "#EXT-X-DISCONTINUITY", "#EXT-X-PROGRAM-DATE-TIME:2026-11-18T11:06:40.123Z", "#EXTINF:4.000000,", "2.m4s",
        ]
        func lines(_ playlist: MediaPlaylist) -> [String] {
            text(playlist).split(separator: "\n").map(String.init)
        }
        let start = ["#EXT-X-PROGRAM-DATE-TIME:1970-01-01T00:00:00.000Z", "#EXTINF:4.000000,", "0.m4s"]
        let rest = ["#EXTINF:4.000000,", "1.m4s"] + end
        let whole = start + rest
        #expect(lines(playlist).suffix(9) == whole[...])
        #expect(PlaylistRules.problems(of: PlaylistParser.parse(playlist.bytes, uri: "v")).isEmpty)
        playlist.slide(to: 1)
        #expect(lines(playlist).suffix(6) == rest)
    }

    @Test("A configuration change is a discontinuity with a new init segment, once its segment is announced")
    func discontinuities() {
        var playlist = MediaPlaylist(kind: .vod, boundaries: (0...3).map { MediaTime(microseconds: $0 * 4_000_000) })
        playlist.discontinuities = [.init(segment: 2, initURI: "init-1.mp4"), .init(segment: 9, initURI: "init-2.mp4")]
        let lines = text(playlist).split(separator: "\n").filter { !$0.hasPrefix("#EXTINF") }
        #expect(
            lines.suffix(7) == [
                #"#EXT-X-MAP:URI="init.mp4""#, "0.m4s", "1.m4s", "#EXT-X-DISCONTINUITY",
                #"#EXT-X-MAP:URI="init-1.mp4""#,
                "2.m4s", "#EXT-X-ENDLIST",
            ]
        )
        #expect(PlaylistRules.problems(of: PlaylistParser.parse(playlist.bytes, uri: "v")).isEmpty)
    }

    @Test(
        "A delayed playlist begins at 0, without the segments that would end before 0",
        arguments: [
            (500, ["4.500000", "4.000000", "4.000000"], 0, 0), (-500, ["3.500000", "4.000000", "4.000000"], 0, 0),
            (-4000, ["4.000000", "4.000000"], 1, 1), (-7900, ["0.100000", "4.000000"], 1, 1),
            (-12_000, ["0.001000"], 2, 1), (-99_000, ["0.001000"], 2, 1),
        ]
    )
    func delayed(milliseconds: Int64, durations: [String], first: Int, discontinuities: Int) {
        var playlist = MediaPlaylist(kind: .vod, boundaries: (0...3).map { MediaTime(microseconds: $0 * 4_000_000) })
        playlist.discontinuities = [.init(segment: 1, initURI: "init-1.mp4")]
        playlist.targetDuration = 4
        playlist.move(by: MediaTime(microseconds: milliseconds * 1000))
        let lines = text(playlist).split(separator: "\n").map(String.init)
        #expect(lines.filter { $0.hasPrefix("#EXTINF") } == durations.map { "#EXTINF:\($0)," })
        #expect(lines.filter { $0.hasSuffix(".m4s") } == (0..<durations.count).map { "\(first + $0).m4s" })
        #expect(lines.contains("#EXT-X-TARGETDURATION:\(milliseconds > 0 ? 5 : 4)"))
        #expect(lines.contains("#EXT-X-DISCONTINUITY-SEQUENCE:1") == (discontinuities == 1))
        #expect(lines.contains("#EXT-X-DISCONTINUITY") == (discontinuities == 0))
        #expect(PlaylistRules.problems(of: PlaylistParser.parse(playlist.bytes, uri: "v")).isEmpty)
    }

    @Test("The segments that an event playlist lists never change while the playlist grows and ends")
    func eventGrowth() {
        let boundaries = (0...6).map { MediaTime(microseconds: $0 * 4_000_000) }
        func playlist(_ count: Int, hasEnded: Bool) -> String {
            var playlist = MediaPlaylist(
                kind: .event(hasEnded: hasEnded),
                boundaries: Array(boundaries.prefix(count + 1))
            )
            playlist.targetDuration = 10
            return text(playlist)
        }
        #expect(playlist(0, hasEnded: false).hasSuffix("#EXT-X-MAP:URI=\"init.mp4\"\n"))
        #expect(playlist(6, hasEnded: false).hasPrefix(playlist(3, hasEnded: false)))
        // A growing playlist makes players start at its beginning; a complete one need not.
        let start = "#EXT-X-START:TIME-OFFSET=0,PRECISE=YES\n"
        #expect(playlist(6, hasEnded: false).contains(start))
        #expect(
            playlist(6, hasEnded: true)
                == playlist(6, hasEnded: false).split(separator: start).joined() + "#EXT-X-ENDLIST\n"
        )
        #expect(playlist(3, hasEnded: false).contains("#EXT-X-TARGETDURATION:10\n"))
        #expect(playlist(3, hasEnded: false).contains("#EXT-X-PLAYLIST-TYPE:EVENT\n"))
    }

    @Test("A window keeps its segment numbers, and has the discontinuity sequence and init that apply to its start")
    func window() {
        let boundaries = (0...6).map { MediaTime(microseconds: $0 * 4_000_000) }
        func playlist(from first: Int, hasEnded: Bool = false) -> String {
            var playlist = MediaPlaylist(kind: .window(hasEnded: hasEnded), boundaries: boundaries)
            playlist.targetDuration = 4
            playlist.segmentPrefix = "v/"
            playlist.discontinuities = [
                .init(segment: 2, initURI: "init-1.mp4"), .init(segment: 4, initURI: "init-2.mp4"),
            ]
            playlist.slide(to: first)
            return text(playlist)
        }
        let all = playlist(from: 0)
        #expect(!all.contains("PLAYLIST-TYPE") && !all.contains("#EXT-X-START") && !all.contains("ENDLIST"))
        #expect(all.contains("#EXT-X-MEDIA-SEQUENCE:0\n") && all.contains("v/0.m4s"))
        for (first, sequence, uri) in [
            (1, nil, "init.mp4"), (2, 1, "init-1.mp4"), (3, 1, "init-1.mp4"), (5, 2, "init-2.mp4"),
        ] {
            let later = playlist(from: first)
            #expect(later.contains("#EXT-X-MEDIA-SEQUENCE:\(first)\n"))
            #expect(later.contains("DISCONTINUITY-SEQUENCE:\(sequence ?? 0)\n") == (sequence != nil))
            let map = "#EXT-X-MAP:URI=\"\(uri)\"\n"
            let part = all.split(separator: "v/\(first - 1).m4s\n")[1]
            let tail = part.replacing("#EXT-X-DISCONTINUITY\n\(map)", with: "", maxReplacements: first % 2 == 0 ? 1 : 0)
            #expect(later.contains(map) && later.hasSuffix(tail), "listed entries do not change")
        }
        #expect(playlist(from: 3, hasEnded: true).hasSuffix("v/5.m4s\n#EXT-X-ENDLIST\n"))
    }

    @Test("The durations of ten thousand segments add up to the timeline exactly")
    func noDrift() {
        let base = TimeBase(1001, 30_000)
        let boundaries = (0...10_000).map { MediaTime(Int64($0) * 119, in: base) }
        let total = text(MediaPlaylist(kind: .vod, boundaries: boundaries)).split(separator: "\n")
            .filter { $0.hasPrefix("#EXTINF:") }
            .reduce(Int64(0)) { $0 + (Int64($1.filter(\.isNumber)) ?? 0) }
        #expect(total == boundaries[10_000].microseconds)
    }
}

@Suite struct MasterPlaylistTests {
    private func track(_ codec: CodecID, _ string: String, language: String = "", channels: Int = 2) -> Track {
        var track = Track(codec: codec, timescale: 48_000)
        track.codecString = string
        track.language = language
        var audio = AudioProperties()
        audio.channels = channels
        track.audio = audio
        return track
    }

    private var video: Track {
        var track = Track(codec: .hevc, timescale: 90_000)
        track.codecString = "hvc1.2.4.L153.B0"
        var video = VideoProperties()
        (video.width, video.height) = (1440, 1080)
        video.sampleAspectRatio = Ratio(4, 3)
        video.frameRate = Ratio(24000, 1001)
        video.color = ColorDescription(primaries: 9, transfer: 16, matrix: 9)
        track.video = video
        return track
    }

    @Test("Video with two audio tracks is one variant and one group")
    func videoAndAudio() {
        var playlist = MasterPlaylist()
        playlist.video = video
        playlist.videoURI = "v/index.m3u8"
        playlist.bandwidth = 5_000_000
        playlist.averageBandwidth = 4_000_000
        playlist.startOffset = MediaTime(microseconds: 90_500_000)
        playlist.renditions = [
            .init(track: track(.aac, "mp4a.40.2", language: "fre"), uri: "a0/index.m3u8", name: "", isDefault: false),
            .init(
                track: track(.eac3, "ec-3", language: "eng", channels: 6),
                uri: "a1/index.m3u8",
                name: "The \"best\"\r\n#EXT-X-ENDLIST",
                isDefault: true
            ),
        ]
        #expect(
            String(decoding: playlist.bytes, as: UTF8.self) == """
                #EXTM3U
                #EXT-X-VERSION:7
                #EXT-X-INDEPENDENT-SEGMENTS
                #EXT-X-START:TIME-OFFSET=90.500000,PRECISE=YES
                #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="audio",NAME="The 'best'  #EXT-X-ENDLIST",LANGUAGE="en",DEFAULT=YES,\
                AUTOSELECT=YES,CHANNELS="6",URI="a1/index.m3u8"
                #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="audio",NAME="French",LANGUAGE="fr",DEFAULT=NO,AUTOSELECT=YES,\
                CHANNELS="2",URI="a0/index.m3u8"
                #EXT-X-STREAM-INF:BANDWIDTH=5000000,AVERAGE-BANDWIDTH=4000000,\
                CODECS="hvc1.2.4.L153.B0,mp4a.40.2,ec-3",RESOLUTION=1920x1080,FRAME-RATE=23.976,VIDEO-RANGE=PQ,\
                AUDIO="audio",CLOSED-CAPTIONS=NONE
                v/index.m3u8

                """
        )
    }

    @Test("Further variants have the same groups, or an audio group of their own with the same members")
    func variants() {
        var playlist = MasterPlaylist()
        playlist.video = video
        playlist.videoURI = "video.m3u8"
        playlist.bandwidth = 5_000_000
        playlist.renditions = [
            .init(track: track(.aac, "mp4a.40.2", language: "fre"), uri: "audio-1.m3u8", name: "", isDefault: false)
        ]
        var small = MasterPlaylist.Variant(uri: "variant-2/video.m3u8", number: 2, bandwidth: 900_000)
        (small.width, small.height, small.frameRate, small.videoRange) = (640, 360, 29.97, "SDR")
        small.codecs = ["hvc1.1.6.L63"]
        small.audioPrefix = "variant-2/"
        playlist.variants = [small, MasterPlaylist.Variant(uri: "variant-0/video.m3u8", number: 0, bandwidth: 0)]
        #expect(
            String(decoding: playlist.bytes, as: UTF8.self) == """
                #EXTM3U
                #EXT-X-VERSION:7
                #EXT-X-INDEPENDENT-SEGMENTS
                #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="audio",NAME="French",LANGUAGE="fr",DEFAULT=YES,AUTOSELECT=YES,\
                CHANNELS="2",URI="audio-1.m3u8"
                #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="audio-2",NAME="French",LANGUAGE="fr",DEFAULT=YES,AUTOSELECT=YES,\
                CHANNELS="2",URI="variant-2/audio-1.m3u8"
                #EXT-X-STREAM-INF:BANDWIDTH=5000000,CODECS="hvc1.2.4.L153.B0,mp4a.40.2",RESOLUTION=1920x1080,\
                FRAME-RATE=23.976,VIDEO-RANGE=PQ,AUDIO="audio",CLOSED-CAPTIONS=NONE
                video.m3u8
                #EXT-X-STREAM-INF:BANDWIDTH=900000,CODECS="hvc1.1.6.L63,mp4a.40.2",RESOLUTION=640x360,\
                FRAME-RATE=29.970,VIDEO-RANGE=SDR,AUDIO="audio-2",CLOSED-CAPTIONS=NONE
                variant-2/video.m3u8
                #EXT-X-STREAM-INF:BANDWIDTH=1,CODECS="hvc1.2.4.L153.B0,mp4a.40.2",VIDEO-RANGE=PQ,AUDIO="audio",\
                CLOSED-CAPTIONS=NONE
                variant-0/video.m3u8

                """
        )
    }

    @Test("Tracks of several formats are one variant and one group with one default, which is listed first")
    func severalFormats() {
        var playlist = MasterPlaylist()
        playlist.video = video
        playlist.videoURI = "v.m3u8"
        playlist.renditions = [
            .init(track: track(.ac3, "ac-3"), uri: "0.m3u8", name: "A", isDefault: false),
            .init(track: track(.aac, "mp4a.40.2"), uri: "1.m3u8", name: "B", isDefault: true),
            .init(track: track(.ac3, "ac-3"), uri: "2.m3u8", name: "C", isDefault: false),
        ]
        let lines = String(decoding: playlist.bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        let media = lines.filter { $0.hasPrefix("#EXT-X-MEDIA") }
        #expect(media.map { $0.contains("DEFAULT=YES") } == [true, false, false])
        #expect(media.map { $0.contains("GROUP-ID=\"audio\"") } == [true, true, true])
        let variants = lines.filter { $0.hasPrefix("#EXT-X-STREAM-INF") }
        #expect(variants.count == 1 && variants[0].contains("CODECS=\"hvc1.2.4.L153.B0,ac-3,mp4a.40.2\""))
        // A track may go on in another format.
        playlist.renditions[0].laterCodecs = ["ec-3", "mp4a.40.2"]
        let later = String(decoding: playlist.bytes, as: UTF8.self)
        #expect(later.contains("CODECS=\"hvc1.2.4.L153.B0,ac-3,mp4a.40.2,ec-3\""))
        playlist.laterVideoCodecs = ["avc1.640028"]
        let both = String(decoding: playlist.bytes, as: UTF8.self)
        #expect(both.contains("CODECS=\"hvc1.2.4.L153.B0,avc1.640028,ac-3,mp4a.40.2,ec-3\""))
        playlist.keyframesURI = "keyframes.m3u8"
        let text = String(decoding: playlist.bytes, as: UTF8.self)
        let alone = text.split(separator: "\n").filter { $0.contains("I-FRAME") }
        #expect(alone.count == 1 && alone[0].contains("CODECS=\"hvc1.2.4.L153.B0,avc1.640028\""))
        (playlist.keyframesURI, playlist.laterVideoCodecs) = (nil, [])
        // Without video, the variant is the default track.
        playlist.video = nil
        let audio = String(decoding: playlist.bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        #expect(audio.filter { !$0.hasPrefix("#") } == ["1.m3u8"] && audio.count { $0.contains("TYPE=AUDIO") } == 3)
    }

    @Test("Unknown attributes are omitted, except for BANDWIDTH, which is required")
    func unknown() {
        var playlist = MasterPlaylist()
        playlist.video = video
        playlist.renditions = [
            .init(track: track(.aac, "mp4a.40.2", channels: 0), uri: "a.m3u8", name: "", isDefault: true)
        ]
        let text = String(decoding: playlist.bytes, as: UTF8.self)
        #expect(text.contains("#EXT-X-STREAM-INF:BANDWIDTH=1,CODECS") && !text.contains("CHANNELS"))
    }

    @Test("A lone audio track is the variant itself")
    func audioOnly() {
        var playlist = MasterPlaylist()
        playlist.bandwidth = 128_000
        playlist.renditions = [
            .init(track: track(.flac, "fLaC"), uri: "a0/index.m3u8", name: "x", isDefault: true)
        ]
        #expect(
            String(decoding: playlist.bytes, as: UTF8.self) == """
                #EXTM3U
                #EXT-X-VERSION:7
                #EXT-X-INDEPENDENT-SEGMENTS
                #EXT-X-STREAM-INF:BANDWIDTH=128000,CODECS="fLaC"
                a0/index.m3u8

                """
        )
    }

    @Test(
        "CHANNELS is the number of channels, or of Dolby Atmos objects in E-AC-3",
        arguments: [
            (ObjectAudio?.none, "CHANNELS=\"6\""), (.dolbyAtmos(complexity: 12), "CHANNELS=\"12/JOC\""),
            (.dolbyAtmos(complexity: nil), "CHANNELS=\"16/JOC\""), (.dtsX, "CHANNELS=\"6\""),
        ]
    )
    func channels(objects: ObjectAudio?, attribute: String) {
        var audio = track(.eac3, "ec-3", channels: 6)
        audio.audio?.objects = objects
        var playlist = MasterPlaylist()
        playlist.video = video
        playlist.renditions = [.init(track: audio, uri: "a.m3u8", name: "", isDefault: true)]
        #expect(String(decoding: playlist.bytes, as: UTF8.self).contains(attribute))
    }

    @Test(
        "CHARACTERISTICS has only the values defined for audio",
        arguments: [
            (["visual_impaired"], true), (["default", "descriptions"], true), (["hearing_impaired"], false),
            (["comment"], false), (["dub", "original"], false), ([], false),
        ]
    )
    func characteristics(dispositions: [String], describes: Bool) {
        var playlist = MasterPlaylist()
        playlist.video = video
        playlist.renditions = [
            .init(
                track: track(.aac, "mp4a.40.2"),
                uri: "a.m3u8",
                name: "",
                isDefault: true,
                characteristics: Characteristics.ofAudio(dispositions)
            )
        ]
        let text = String(decoding: playlist.bytes, as: UTF8.self)
        #expect(text.contains("CHARACTERISTICS=\"public.accessibility.describes-video\"") == describes)
        #expect(text.contains("CHARACTERISTICS") == describes)
    }

    @Test("Names are unique, and exactly one rendition is the default")
    func names() {
        var playlist = MasterPlaylist()
        playlist.video = video
        playlist.renditions = ["Main", "Main", " ", "", "Main (2)"].map {
            .init(track: track(.aac, "mp4a.40.2"), uri: "a.m3u8", name: $0, isDefault: true)
        }
        let text = String(decoding: playlist.bytes, as: UTF8.self)
        let names = text.split(separator: "\n").compactMap { line -> Substring? in
            line.split(separator: "NAME=\"").dropFirst().first?.split(separator: "\"").first
        }
        #expect(names == ["Main", "Main (2)", "Audio 3", "Audio 4", "Main (2) (2)"])
        #expect(text.split(separator: "DEFAULT=YES").count == 2)
    }
}
