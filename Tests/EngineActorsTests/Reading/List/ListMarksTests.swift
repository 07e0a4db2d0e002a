// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Packaging
import Testing

@testable import Reading

@Suite("What a live playlist announces")
struct ListMarksTests {
    private static func notices(of text: String, _ marks: inout ListMarks) throws -> [Notice] {
        let bytes = Array("#EXTM3U\n#EXT-X-TARGETDURATION:4\n\(text)".utf8)
        guard case .media(let playlist) = try HLSPlaylist.parse(bytes, url: "http://host/a.m3u8") else { return [] }
        let added = playlist.segments.enumerated().map { ($1, MediaTime.seconds(Double(4 * $0))) }
        let dated = playlist.segments.first?.date
        return marks.take(playlist, added: added) { date in dated.map { date - $0 } }
    }

    @Test("ad breaks are reported with their place, their length, and the message that they carry")
    func breaks() throws {
        var marks = ListMarks()
        // splice_insert(), event 1207959695, out of network, 60.293 s.
        let message = "/DAvAAAAAAAA///wFAVIAACPf+/+c2nALv4AUsz1AAAAAAAKAAhDVUVJAAABNWLbowo="
        let found = try Self.notices(
            of: """
                #EXTINF:4,
                0.ts
                #EXT-OATCLS-SCTE35:\(message)
                #EXT-X-CUE-OUT:DURATION=60
                #EXTINF:4,
                1.ts
                #EXT-X-CUE-OUT-CONT:4/60
                #EXTINF:4,
                2.ts
                #EXT-X-CUE-IN
                #EXTINF:4,
                3.ts

                """,
            &marks
        )
        #expect(found.map(\.code) == ["live.ad_break", "live.ad_break", "live.ad_break_ended"])
        #expect(found[0].message.contains("event 1207959695 leaves the programme for 60.29"))
        #expect(found[1].message.contains("an ad break of 60.0 s begins at 4.0 s"))
        #expect(found[2].message.contains("at 12.0 s"))
    }

    @Test("a date range is reported once, and again when it is completed")
    func ranges() throws {
        var marks = ListMarks()
        let head = "#EXT-X-PROGRAM-DATE-TIME:2026-11-23T12:00:00Z\n#EXTINF:4,\n0.ts\n"
        let range =
            "#EXT-X-DATERANGE:ID=\"ad-1\",CLASS=\"com.apple.hls.interstitial\",START-DATE=\"2026-11-23T12:00:30Z\","
            + "X-ASSET-URI=\"http://ads/1.m3u8?key=secret\""
        let first = try Self.notices(of: "\(head)\(range)\n", &marks)
        #expect(first.map(\.code) == ["live.date_range"])
        #expect(first[0].message.contains("\"ad-1\"") && first[0].message.contains("begins at 30.0 s"))
        #expect(first[0].message.contains("http://ads/1.m3u8") && !first[0].message.contains("secret"))
        #expect(try Self.notices(of: "\(head)\(range)\n", &marks).isEmpty)
        let completed = try Self.notices(of: "\(head)\(range),DURATION=15\n", &marks)
        #expect(completed.count == 1 && completed[0].message.contains("for 15.0 s"))
    }

    @Test("of many marks in a load, at most 16 are reported")
    func floods() throws {
        var marks = ListMarks()
        let text = (0..<40).map { "#EXT-X-CUE-OUT:\($0)\n#EXTINF:4,\n\($0).ts\n" }.joined()
        #expect(try Self.notices(of: text, &marks).count == 16)
    }
}
