// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineTestKit
import Foundation
@testable import Packaging
import Testing

/// Parses playlists from their lines, without the `#EXTM3U` line, as if they came from `url`.
enum Script {
    static let url = "https://host/live/index.m3u8?token=a%20b"

    static func parse(
        _ lines: String...,
        importing variables: [String: String] = [:],
        continuing base: HLSMediaPlaylist? = nil
    ) throws(HLSPlaylistError) -> HLSPlaylist {
        let text = (["#EXTM3U"] + lines).joined(separator: "\n") + "\n"
        return try HLSPlaylist.parse(Array(text.utf8), url: url, importing: variables, continuing: base)
    }

    static func media(_ lines: String..., continuing base: HLSMediaPlaylist? = nil) throws -> HLSMediaPlaylist {
        let text = (["#EXTM3U"] + lines).joined(separator: "\n") + "\n"
        let playlist = try HLSPlaylist.parse(Array(text.utf8), url: url, continuing: base)
        guard case .media(let media) = playlist else { throw WrongKind() }
        return media
    }

    static func multivariant(_ lines: String...) throws -> HLSMultivariantPlaylist {
        let text = (["#EXTM3U"] + lines).joined(separator: "\n") + "\n"
        let playlist = try HLSPlaylist.parse(Array(text.utf8), url: url)
        guard case .multivariant(let multivariant) = playlist else { throw WrongKind() }
        return multivariant
    }

    struct WrongKind: Error {}
}

@Suite struct HLSMediaPlaylistTests {
    @Test("Each entry of a live playlist gets the key, map, date and byte range that apply to it")
    func live() throws {
        let playlist = try Script.media(
            "#EXT-X-VERSION:6",
            "#EXT-X-TARGETDURATION:6",
            "#EXT-X-MEDIA-SEQUENCE:100",
            "#EXT-X-DISCONTINUITY-SEQUENCE:7",
            "#EXT-X-KEY:METHOD=AES-128,URI=\"../k/1.key\",IV=0x000102030405060708090A0B0C0D0E0F",
            "#EXT-X-MAP:URI=\"init.mp4\",BYTERANGE=\"700@20\"",
            "#EXT-X-PROGRAM-DATE-TIME:2026-11-05T08:15:30.250+01:00",
            "#EXTINF:5.9999996,The title, with a comma",
            "#EXT-X-BYTERANGE:1000@720",
            "a.m4s",
            "#EXTINF:6,",
            "#EXT-X-BYTERANGE:500",
            "a.m4s",
            "#EXT-X-KEY:METHOD=NONE",
            "#EXT-X-DISCONTINUITY",
            "#EXT-X-GAP",
            "#EXTINF:4.5,",
            "//cdn/b.m4s?x=1"
        )
        let entries = playlist.segments
        let key = HLSKey(method: .aes128, url: "https://host/k/1.key", iv: Array(0...15))
        #expect(entries.map(\.sequence) == [100, 101, 102])
        #expect(entries.map(\.discontinuity) == [7, 7, 8])
        #expect(entries.map(\.isDiscontinuous) == [false, false, true])
        #expect(entries.map(\.duration.microseconds) == [6_000_000, 6_000_000, 4_500_000])
        #expect(
            entries.map(\.url) == ["https://host/live/a.m4s", "https://host/live/a.m4s", "https://cdn/b.m4s?x=1"]
        )
        #expect(entries.map(\.byteRange?.offset) == [720, 1720, nil])
        #expect(entries.map(\.byteRange?.length) == [1000, 500, nil])
        #expect(entries.map(\.keys) == [[key], [key], []])
        #expect(entries.map(\.isGap) == [false, false, true])
        #expect(entries[0].title == "The title, with a comma")
        let map = HLSMap(
            url: "https://host/live/init.mp4",
            byteRange: HLSByteRange(offset: 20, length: 700),
            keys: [key]
        )
        #expect(entries.map(\.map) == [map, map, map])
        let date: Int64 = 1_793_862_930_250_000
        #expect(entries.map(\.date?.microseconds) == [date, date + 6_000_000, date + 12_000_000])
        #expect(entries.map(\.isDateDeclared) == [true, false, false])
        #expect(playlist.isLive)
        #expect(playlist.nextSequence == 103)
        #expect(playlist.notices.list.isEmpty)
    }

    /// Media playlists with one entry, without the `#EXTM3U` line.
    static let mistakes: [(String, HLSNotice.Kind)] = [
        ("#EXT-X-TARGETDURATION:6\n#EXTINF:6\na", .missingComma),
        ("#EXT-X-TARGETDURATION:6\n#EXTINF:junk,\na", .unreadableDuration),
        ("#EXT-X-TARGETDURATION:6\n#EXTINF:-1,\na", .unreadableDuration),
        ("#EXT-X-TARGETDURATION:6\n#EXTINF:99999999999999999999,\na", .unreadableDuration),
        ("#EXT-X-TARGETDURATION:6\n#EXTINF:6 tvg-id=\"x\",\na", .textAfterDuration),
        ("#EXT-X-VERSION:3\n#EXTINF:6,\na", .missingTargetDuration),
        ("#EXT-X-TARGETDURATION:5\n#EXTINF:6,\na", .longEntry),
        ("#EXT-X-TARGETDURATION:6\n#EXT-X-TARGETDURATION:9\n#EXTINF:6,\na", .duplicateTag),
        ("#EXT-X-TARGETDURATION:6\n#EXTINF:6,\na\n#EXT-X-MEDIA-SEQUENCE:0", .lateTag),
        ("#EXT-X-TARGETDURATION:6\n#EXT-X-ENDLIST\n#EXTINF:6,\na", .entryAfterEnd),
        ("#EXT-X-TARGETDURATION:6\n#EXTINF:6,\n#EXTINF:6,\na", .missingURI),
        ("#EXT-X-TARGETDURATION:6\nb\n#EXTINF:6,\na", .missingDuration),
        ("#EXT-X-TARGETDURATION:6\n  #EXTINF:6,\na", .surroundingSpace),
        ("#EXT-X-TARGETDURATION:6\r#EXTINF:6,\ra", .strayCarriageReturn),
        ("#EXT-X-TARGETDURATION:6\n#EXT-X-PROGRAM-DATE-TIME:yesterday\n#EXTINF:6,\na", .ignoredTag),
        ("#EXT-X-TARGETDURATION:6\n#EXT-X-PROGRAM-DATE-TIME:2026-11-05T08:15:30\n#EXTINF:6,\na", .missingTimeZone),
        ("#EXT-X-TARGETDURATION:6\n#EXT-X-KEY:METHOD=AES-128, URI=\"k\"\n#EXTINF:6,\na", .spaceInAttributes),
        ("#EXT-X-TARGETDURATION:6\n#EXT-X-KEY:METHOD=AES-128,URI=k\n#EXTINF:6,\na", .unquotedString),
        ("#EXT-X-TARGETDURATION:6\n#EXT-X-KEY:METHOD=\"AES-128\",URI=\"k\"\n#EXTINF:6,\na", .quotedValue),
        ("#EXT-X-TARGETDURATION:6\n#EXT-X-KEY:METHOD=AES-128,URI=\"k\",IV=0xab\n#EXTINF:6,\na", .lowercaseHex),
        ("#EXT-X-TARGETDURATION:6\n#EXT-X-STREAM-INFO\n#EXT-X-SESSION-DATA:A=1\n#EXTINF:6,\na", .foreignTag),
        ("#EXT-X-TARGETDURATION:6\n#EXTINF:6,\na{$b}", .literalVariable),
    ]

    @Test("A mistake that does not make the meaning ambiguous is tolerated with a notice", arguments: mistakes)
    func tolerated(_ text: String, _ kind: HLSNotice.Kind) throws {
        let playlist = try Script.media(text)
        #expect(Set(playlist.notices.counts.keys) == [kind])
        #expect(playlist.segments.map(\.duration) == [.seconds(6)])
    }

    /// Complete playlists, with the `#EXTM3U` line.
    static let otherMistakes: [(String, HLSNotice.Kind)] = [
        ("\u{FEFF}#EXTM3U\n#EXT-X-TARGETDURATION:6\n", .byteOrderMark),
        (" \n\n#EXTM3U\n#EXT-X-TARGETDURATION:6\n", .untidyStart),
        ("#EXTM3U url-tvg=\"x\"\n#EXT-X-TARGETDURATION:6\n", .untidyStart),
        ("#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-DATERANGE:ID=\"1\",X-A=1,X-A=2\n", .duplicateAttribute),
        ("#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-DATERANGE:ID=\"1\",X-A\n", .malformedAttributes),
        (backward, .datesRunBackward),
        (definedAgain, .variableDefinedAgain),
        ("#EXTM3U\n#EXT-X-STREAM-INF:RESOLUTION=1x1\nv\n", .missingBandwidth),
        ("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1,AUDIO=\"a\"\nv\n", .missingGroup),
    ]
    private static let backward = """
        #EXTM3U
        #EXT-X-TARGETDURATION:6
        #EXT-X-PROGRAM-DATE-TIME:2026-11-05T08:00:00Z
        #EXTINF:6,
        a
        #EXT-X-PROGRAM-DATE-TIME:2026-11-05T08:00:04Z
        #EXTINF:6,
        b
        """
    private static let definedAgain = """
        #EXTM3U
        #EXT-X-DEFINE:NAME="a",VALUE="b"
        #EXT-X-DEFINE:NAME="a",VALUE="b"
        #EXT-X-TARGETDURATION:6
        """

    @Test("Mistakes in other parts of a playlist are tolerated too", arguments: otherMistakes)
    func toleratedElsewhere(_ text: String, _ kind: HLSNotice.Kind) throws {
        let notices = try HLSPlaylist.parse(Array(text.utf8), url: Script.url).notices
        #expect(Set(notices.counts.keys) == [kind])
    }

    @Test("Invalid UTF-8 is tolerated")
    func notUTF8() throws {
        let bytes = Array("#EXTM3U\n#EXT-X-TARGETDURATION:6\n#".utf8) + [0xFF]
        let notices = try HLSPlaylist.parse(bytes, url: Script.url).notices
        #expect(Set(notices.counts.keys) == [.invalidUTF8])
    }

    @Test("Every kind of mistake is tested")
    func everyMistake() {
        let tried = Set(Self.mistakes.map(\.1)).union(Self.otherMistakes.map(\.1)).union([.invalidUTF8])
        #expect(tried == Set(HLSNotice.Kind.allCases))
    }

    @Test("A mistake in every entry is counted each time, but only four notices are kept")
    func repeated() throws {
        let entries = String(repeating: "#EXTINF:6\na\n", count: 100)
        let notices = try Script.media("#EXT-X-TARGETDURATION:6", entries).notices
        #expect(notices.list.map(\.line) == [3, 5, 7, 9])
        #expect(notices.counts == [.missingComma: 100])
    }

    @Test(
        "A mistake that leaves the bytes, key or number of an entry ambiguous is an error that names the line",
        arguments: [
            ("#EXT-X-TARGETDURATION:6\n#EXT-X-BYTERANGE:10\n#EXTINF:6,\na", 3, .noOffset),
            ("#EXT-X-BYTERANGE:9@0\n#EXTINF:6,\nb\n#EXT-X-BYTERANGE:9\n#EXTINF:6,\na", 5, .noOffset),
            ("#EXT-X-TARGETDURATION:6\n#EXT-X-BYTERANGE:x\n#EXTINF:6,\na", 3, .malformed(attribute: "")),
            (
                "#EXT-X-TARGETDURATION:6\n#EXT-X-BYTERANGE:9223372036854775807@1\n#EXTINF:6,\na", 3,
                .malformed(attribute: "")
            ),
            ("#EXT-X-MEDIA-SEQUENCE:1152921504606846977\n#EXTINF:6,\na", 2, .malformed(attribute: "")),
            ("#EXT-X-MEDIA-SEQUENCE:x\n#EXTINF:6,\na", 2, .malformed(attribute: "")),
            ("#EXT-X-MEDIA-SEQUENCE:1\n#EXT-X-MEDIA-SEQUENCE:2\n#EXTINF:6,\na", 3, .contradiction),
            ("#EXT-X-KEY:URI=\"k\"\n#EXT-X-ENDLIST", 2, .missing(attribute: "METHOD")),
            ("#EXT-X-KEY:METHOD=AES-128\n#EXT-X-ENDLIST", 2, .missing(attribute: "URI")),
            ("#EXT-X-KEY:METHOD=AES-128,URI=\"k\",IV=0xG1\n#EXT-X-ENDLIST", 2, .malformed(attribute: "IV")),
            (
                "#EXT-X-KEY:METHOD=AES-128,URI=\"k\",IV=0x0000000000000000000000000000000001\n#EXT-X-ENDLIST", 2,
                .malformed(attribute: "IV")
            ),
            ("#EXT-X-KEY:METHOD=AES-128,URI=\"k,IV=0x11\n#EXT-X-ENDLIST", 2, .malformed(attribute: "")),
            ("#EXT-X-KEY:METHOD=AES-128,URI=\"k\",URI=\"l\"\n#EXT-X-ENDLIST", 2, .malformed(attribute: "")),
            ("#EXT-X-MAP:BYTERANGE=\"1@0\"\n#EXT-X-ENDLIST", 2, .missing(attribute: "URI")),
            ("#EXT-X-MAP:URI=\"i\",BYTERANGE=\"1@\"\n#EXT-X-ENDLIST", 2, .malformed(attribute: "BYTERANGE")),
            ("#EXT-X-SKIP:SKIPPED-SEGMENTS=3\n#EXTINF:6,\na", 2, .skippedTooMuch),
            ("#EXT-X-STREAM-INF:BANDWIDTH=1\nv\n#EXTINF:6,\na", 4, .mixed),
            ("#EXTINF:6,\na\n#EXT-X-STREAM-INF:BANDWIDTH=1\nv", 4, .mixed),
            ("#EXTINF:-1,A station\nhttp://station/", 0, .plainM3U),
            ("#EXT-X-DEFINE:NAME=\"a\",VALUE=\"b\"\n#EXTINF:6,\n{$c}", 4, .undefinedVariable("c")),
            ("#EXT-X-DEFINE:IMPORT=\"a\"\n#EXT-X-ENDLIST", 2, .undefinedVariable("a")),
            ("#EXT-X-DEFINE:QUERYPARAM=\"a\"\n#EXT-X-ENDLIST", 2, .undefinedVariable("a")),
            ("#EXT-X-VERSION:3", 0, .empty),
        ] as [(String, Int, HLSPlaylistError.Reason)]
    )
    func refused(_ text: String, _ line: Int, _ reason: HLSPlaylistError.Reason) {
        let error = #expect(throws: HLSPlaylistError.self) { try Script.parse(text) }
        #expect(error?.line == line)
        #expect(error?.reason == reason)
    }

    @Test(
        "Bytes that are not a playlist are rejected, and the error quotes their start",
        arguments: [
            ("<!DOCTYPE html>\n<html>", "<!DOCTYPE html>"), ("", "no text"), ("\n\n", "no text"),
            ("#EXTM3UX", "#EXTM3UX"), ("\u{1F}\u{8B}", "\u{8B}"), ("#EXTINF:6,\na", "#EXTINF:6,"),
        ]
    )
    func notPlaylist(_ text: String, _ found: String) {
        let error = #expect(throws: HLSPlaylistError.self) {
            try HLSPlaylist.parse(Array(text.utf8), url: Script.url)
        }
        #expect(error?.reason == .notPlaylist)
        #expect(error?.found.hasSuffix(found) == true)
    }

    @Test("Variables come from the playlist, the multivariant playlist and the URL")
    func variables() throws {
        let playlist = try Script.parse(
            "#EXT-X-DEFINE:NAME=\"host\",VALUE=\"cdn\"",
            "#EXT-X-DEFINE:IMPORT=\"path\"",
            "#EXT-X-DEFINE:QUERYPARAM=\"token\"",
            "#EXT-X-TARGETDURATION:6",
            "#EXT-X-MAP:URI=\"{$path}/i\"",
            "#EXTINF:6,",
            "https://{$host}/{$path}/{$token}{$",
            importing: ["path": "p{$host}"]
        )
        guard case .media(let media) = playlist else { throw Script.WrongKind() }
        #expect(media.segments.map(\.url) == ["https://cdn/p{$host}/a b{$"])
        #expect(media.segments.first?.map?.url == "https://host/live/p{$host}/i")
    }
}
