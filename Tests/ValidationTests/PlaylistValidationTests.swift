// SPDX-License-Identifier: Apache-2.0

import Packaging
import Testing
import Validation

@Suite("Checking playlists")
struct PlaylistValidationTests {
    private static let good = """
        #EXTM3U
        #EXT-X-VERSION:7
        #EXT-X-TARGETDURATION:4
        #EXT-X-PLAYLIST-TYPE:VOD
        #EXT-X-MAP:URI="init.mp4"
        #EXTINF:4.0,
        0.m4s
        #EXTINF:3.5,
        1.m4s
        #EXT-X-ENDLIST

        """

    private func problems(_ text: String) -> [String] {
        PlaylistRules.problems(of: PlaylistParser.parse(Array(text.utf8), uri: "p")).map { "\($0.rule) \($0.message)" }
    }

    @Test("A valid media playlist has no problems, and its duration is that of its segments")
    func valid() {
        #expect(problems(Self.good).isEmpty)
        let playlist = PlaylistParser.parse(Array(Self.good.utf8), uri: "p")
        #expect(playlist.duration == 7.5)
        #expect(playlist.segments.map(\.map) == [0, 0])
        #expect(playlist.hasEndList)
    }

    @Test(
        "Each violated rule is named",
        arguments: [
            ("#EXTM3U\n", "EXTM3U\n", "first line"),
            ("TARGETDURATION:4", "TARGETDURATION:3", "above TARGETDURATION"),
            ("#EXT-X-TARGETDURATION:4\n", "", "no EXT-X-TARGETDURATION"),
            ("VERSION:7", "VERSION:3", "require 6"),
            ("VERSION:7", "VERSION:x", "not a number"),
            ("#EXT-X-ENDLIST", "", "no ENDLIST"),
            ("#EXTINF:3.5,\n", "", "no EXTINF"),
            ("#EXTINF:3.5,", "#EXTINF:3.5", "no comma"),
            ("1.m4s\n", "", "no segment after it"),
            ("URI=\"init.mp4\"", "URI=\"init.mp4", "quote"),
            ("TYPE:VOD", "TYPE:LIVE", "PLAYLIST-TYPE is"),
        ]
    )
    func broken(old: String, new: String, message: String) {
        let found = problems(Self.good.replacing(old, with: new))
        #expect(found.contains { $0.contains(message) }, "\(found)")
    }

    @Test(
        "Renditions have discontinuities at the same times, up to the end of the shorter one",
        arguments: [
            ("#EXT-X-DISCONTINUITY\n#EXTINF:3.5", true), ("#EXTINF:3.5", false),
            ("#EXT-X-DISCONTINUITY\n#EXTINF:3.4", true),
        ]
    )
    func discontinuities(entry: String, isAudio: Bool) {
        let video = Self.good.replacing("#EXTINF:3.5", with: "#EXT-X-DISCONTINUITY\n#EXTINF:3.5")
        let texts = [
            video, Self.good.replacing("#EXTINF:3.5", with: entry).replacing("#EXTINF:4.0", with: "#EXTINF:4.02"),
        ]
        let short = Self.good.replacing("#EXTINF:3.5,\n1.m4s\n", with: "")
        let playlists = (texts + [short]).map { PlaylistParser.parse(Array($0.utf8), uri: "p") }
        let found = PlaylistRules.discontinuityProblems(of: playlists)
        #expect(found.isEmpty == isAudio && found.allSatisfy { $0.rule.contains("6.2.4") }, "\(found)")
    }

    @Test("A discontinuity at another time is a problem")
    func discontinuityElsewhere() {
        let video = Self.good.replacing("#EXTINF:3.5", with: "#EXT-X-DISCONTINUITY\n#EXTINF:3.5")
        let playlists = [video, video.replacing("#EXTINF:4.0", with: "#EXTINF:3.5")].map {
            PlaylistParser.parse(Array($0.utf8), uri: "p")
        }
        #expect(PlaylistRules.discontinuityProblems(of: playlists).count == 1)
    }

    @Test("A growing playlist keeps what it has announced")
    func growing() {
        let old = PlaylistParser.parse(Array(Self.good.utf8), uri: "p")
        let longer = Self.good.replacing("#EXT-X-ENDLIST", with: "#EXTINF:1,\n2.m4s\n#EXT-X-ENDLIST")
        #expect(PlaylistRules.problems(from: old, to: PlaylistParser.parse(Array(longer.utf8), uri: "p")).isEmpty)
        let changed = longer.replacing("3.5", with: "3.4")
        #expect(PlaylistRules.problems(from: old, to: PlaylistParser.parse(Array(changed.utf8), uri: "p")).count == 1)
        #expect(PlaylistRules.problems(from: PlaylistParser.parse(Array(longer.utf8), uri: "p"), to: old).count == 1)
    }

    @Test("A master playlist needs bandwidth, codecs, resolution, and existing groups")
    func master() {
        let good = """
            #EXTM3U
            #EXT-X-VERSION:7
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="x, y",DEFAULT=YES,URI="a.m3u8"
            #EXT-X-STREAM-INF:BANDWIDTH=5,AVERAGE-BANDWIDTH=4,CODECS="avc1.640028,mp4a.40.2",RESOLUTION=2x2,AUDIO="a"
            v.m3u8

            """
        #expect(problems(good).isEmpty)
        for (old, new) in [
            ("BANDWIDTH=5", "BANDWIDTH=3"), ("RESOLUTION=2x2", "RESOLUTION=2"), (",AUDIO=\"a\"", ",AUDIO=\"b\""),
            ("CODECS", "CODEC"), ("NAME=\"x, y\",", ""), ("TYPE=AUDIO", "TYPE=SOUND"), ("v.m3u8\n", ""),
        ] {
            #expect(!problems(good.replacing(old, with: new)).isEmpty, "\(new)")
        }
    }

    @Test(
        "Groups of one type have the same members",
        arguments: [
            ("NAME=\"x\",DEFAULT=YES,CHANNELS=\"6\",URI=\"b.m3u8\"", true),
            ("NAME=\"y\",DEFAULT=YES,URI=\"b.m3u8\"", false),
            ("NAME=\"x\",DEFAULT=NO,URI=\"b.m3u8\"", false),
            ("NAME=\"x\",LANGUAGE=\"de\",DEFAULT=YES,URI=\"b.m3u8\"", false),
        ]
    )
    func groups(member: String, isAudio: Bool) {
        let found = problems(
            """
            #EXTM3U
            #EXT-X-VERSION:7
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="x",DEFAULT=YES,CHANNELS="2",URI="a.m3u8"
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="b",\(member)
            #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="z",URI="s.m3u8"
            #EXT-X-STREAM-INF:BANDWIDTH=5,CODECS="mp4a.40.2",AUDIO="a",SUBTITLES="s"
            a.m3u8
            #EXT-X-STREAM-INF:BANDWIDTH=5,CODECS="ac-3",AUDIO="b",SUBTITLES="s"
            b.m3u8

            """
        )
        #expect(found.isEmpty == isAudio && found.allSatisfy { $0.contains("§4.3.4.1.1") }, "\(found)")
    }

    @Test(
        "A playlist may pause for 1.5 target durations, or for 30 s if that is longer",
        arguments: [
            ("6", 30.0, "(9 s)"), ("20", 30, "(30 s)"), ("61", 91.5, "no segment has followed for 92 s"),
            ("x", 30, "(0 s)"),
        ]
    )
    func pauses(target: String, patience: Double, text: String) {
        let playlist = PlaylistParser.parse(
            Array("#EXTM3U\n#EXT-X-TARGETDURATION:\(target)\n#EXT-X-PLAYLIST-TYPE:EVENT\n".utf8),
            uri: "p"
        )
        #expect(PlaylistRules.patience(with: playlist) == patience)
        let problem = PlaylistRules.stall(of: playlist)
        #expect(problem.rule == "RFC 8216 §6.2.1" && problem.message.contains(text), "\(problem)")
    }

    @Test("No truncation of a playlist stops the parser")
    func truncations() {
        let bytes = Array(Self.good.utf8)
        for count in 0..<bytes.count { _ = PlaylistParser.parse(Array(bytes[..<count]), uri: "p") }
    }
}
