// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Packaging
import Testing

@testable import Bindings
@testable import Reading

@Suite("The listed parts of a segment")
struct ListedPartsTests {
    private static func playlist(_ lines: String...) throws -> HLSMediaPlaylist {
        let head = ["#EXTM3U", "#EXT-X-TARGETDURATION:2", "#EXT-X-MEDIA-SEQUENCE:7", "#EXT-X-PART-INF:PART-TARGET=0.5"]
        let bytes = Array((head + ["#EXTINF:2,", "a"] + lines).joined(separator: "\n").utf8)
        guard case .media(let playlist) = try HLSPlaylist.parse(bytes, url: "http://host/x.m3u8") else {
            throw EngineError(.sourceNotMedia, "not a media playlist")
        }
        return playlist
    }

    @Test("parts may be byte ranges of their segment's file; a hint with a range names the next part")
    func ranges() throws {
        let parts = try #require(
            try ListedParts(
                openIn: Self.playlist(
                    "#EXT-X-MAP:URI=\"init\"",
                    "#EXT-X-PART:DURATION=0.5,URI=\"b\",BYTERANGE=\"10@0\"",
                    "#EXT-X-PART:DURATION=0.4,URI=\"b\",BYTERANGE=\"20\"",
                    "#EXT-X-PRELOAD-HINT:TYPE=MAP,URI=\"other\"",
                    "#EXT-X-PRELOAD-HINT:TYPE=PART,URI=\"b\",BYTERANGE-START=30,BYTERANGE-LENGTH=5"
                )
            )
        )
        #expect(parts.pieces.map(\.range) == [0..<10, 10..<30] && parts.pieces.allSatisfy(\.isPart))
        #expect(parts.map?.url == "http://host/init" && parts.duration == .seconds(0.9))
        #expect(parts.hint == ListedResource(url: "http://host/b", range: 30..<35, isPart: true))
        let entry = SegmentList.Entry(parts, first: 1)
        #expect(entry.pieces == [parts.pieces[0]] && entry.isOpen && entry.duration == .seconds(0.5))
        #expect(entry.map == parts.map)
    }

    @Test("a hint is used only if its resource can be requested before it is listed")
    func hints() throws {
        let key = "#EXT-X-KEY:METHOD=AES-128,URI=\"k\""
        let cases: [([String], ListedResource?)] = [
            (["#EXT-X-PRELOAD-HINT:TYPE=PART,URI=\"b.0\""], ListedResource(url: "http://host/b.0", isPart: true)),
            (["#EXT-X-PRELOAD-HINT:TYPE=PART,URI=\"b\",BYTERANGE-START=5"], nil), ([], nil),
            ([key, "#EXT-X-PART:DURATION=1,URI=\"b.0\"", "#EXT-X-PRELOAD-HINT:TYPE=PART,URI=\"b.1\""], nil),
        ]
        for (lines, hint) in cases {
            let parts = try #require(ListedParts(openIn: Self.playlist(lines.joined(separator: "\n"))))
            #expect(parts.hint == hint, "\(lines)")
        }
    }

    @Test("each part of an encrypted segment is decrypted by itself, with the segment's initialization vector")
    func encryption() throws {
        let key = "#EXT-X-KEY:METHOD=AES-128,URI=\"k\""
        let parts = try #require(
            try ListedParts(openIn: Self.playlist(key, "#EXT-X-PART:DURATION=1,URI=\"b.0\""))
        )
        let cipher = try #require(parts.pieces[0].cipher)
        #expect(cipher.keyURL == "http://host/k" && cipher.iv.last == 8 && cipher.iv.dropLast().allSatisfy { $0 == 0 })
    }

    @Test(
        "parts are not used if media is missing, the init or the clock changes, or the playlist has ended",
        arguments: [
            ["#EXT-X-PART:DURATION=1,URI=\"b.0\"", "#EXT-X-PART:DURATION=1,URI=\"b.1\",GAP=YES"],
            ["#EXT-X-PART:DURATION=1,URI=\"b.0\"", "#EXT-X-MAP:URI=\"other\"", "#EXT-X-PART:DURATION=1,URI=\"b.1\""],
            ["#EXT-X-DISCONTINUITY", "#EXT-X-PART:DURATION=1,URI=\"b.0\""],
            ["#EXT-X-GAP", "#EXT-X-PART:DURATION=1,URI=\"b.0\""],
            ["#EXT-X-PART:DURATION=1,URI=\"b.0\"", "#EXT-X-ENDLIST"],
        ]
    )
    func obstacles(lines: [String]) throws {
        #expect(try ListedParts(openIn: Self.playlist(lines.joined(separator: "\n"))) == nil)
    }

    @Test("a complete segment has the parts that are listed with it, unless its init segment is another one")
    func complete() throws {
        let listed = try Self.playlist("#EXT-X-PART:DURATION=2,URI=\"b.0\"", "#EXTINF:2,", "b").segments[1]
        #expect(try SegmentList.Entry(listed, of: "x").pieces.map(\.url) == ["http://host/b.0"])
        let lines = ["#EXT-X-PART:DURATION=2,URI=\"b.0\"", "#EXT-X-MAP:URI=\"init\"", "#EXTINF:2,", "b"]
        let other = try Self.playlist(lines.joined(separator: "\n")).segments[1]
        #expect(try SegmentList.Entry(other, of: "x").pieces.isEmpty)
    }
}
