// SPDX-License-Identifier: Apache-2.0

import EngineModel
@testable import Packaging
import Testing

@Suite struct HLSJoinTests {
    @Test(
        "Playback begins where the playlist says, otherwise three target durations before the end of a live playlist",
        arguments: [
            // Ten entries of 4 s.
            ("#EXT-X-ENDLIST", 0, 0, 40), ("#EXT-X-PLAYLIST-TYPE:VOD", 0, 0, 40), ("#EXT-X-VERSION:3", 7, 0, 12),
            ("#EXT-X-PLAYLIST-TYPE:EVENT", 7, 0, 12), ("#EXT-X-SERVER-CONTROL:HOLD-BACK=18", 5, 0, 20),
            ("#EXT-X-SERVER-CONTROL:HOLD-BACK=100", 0, 0, 40), ("#EXT-X-START:TIME-OFFSET=9", 2, 0, 32),
            ("#EXT-X-START:TIME-OFFSET=9,PRECISE=YES", 2, 1, 31), ("#EXT-X-START:TIME-OFFSET=-9,PRECISE=YES", 7, 3, 9),
            ("#EXT-X-START:TIME-OFFSET=8,PRECISE=YES\n#EXT-X-ENDLIST", 2, 0, 32),
            ("#EXT-X-START:TIME-OFFSET=99,PRECISE=YES", 9, 0, 4), ("#EXT-X-START:TIME-OFFSET=-99", 0, 0, 40),
        ] as [(String, Int, Double, Double)]
    )
    func places(_ tags: String, _ place: Int, _ offset: Double, _ distance: Double) throws {
        let entries = (0..<10).map { "#EXTINF:4,\n\($0)" }.joined(separator: "\n")
        let join = try #require(HLSJoin(try Script.media("#EXT-X-TARGETDURATION:4", tags, entries)))
        #expect(join.place == place)
        #expect(join.offset == .seconds(offset))
        #expect(join.distance == .seconds(distance))
    }

    @Test(
        "If the server lists parts, playback begins behind the live edge by the longest segment and a reserve",
        arguments: [
            // Ten entries of 4 s and the listed parts of the next one, of 1 s each; the reserve and the place.
            ("CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=3", 0, 3, 8), ("CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=3", 3, 3, 9),
            ("CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=0.9", 0, 1.25, 8), ("CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=6", 0, 6, 7),
            ("CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=3,HOLD-BACK=20", 0, 3, 8),
            ("CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=3", 9, 3, 9), ("PART-HOLD-BACK=3", 0, nil, 7),
            ("CAN-BLOCK-RELOAD=YES", 0, nil, 7),
            ("CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=3\n#EXT-X-START:TIME-OFFSET=-12", 0, nil, 7),
        ] as [(String, Int, Double?, Int)]
    )
    func parts(_ control: String, _ count: Int, _ reserve: Double?, _ place: Int) throws {
        let entries = (0..<10).map { "#EXTINF:4,\n\($0)" }.joined(separator: "\n")
        let parts = (0..<count).map { "#EXT-X-PART:DURATION=1,URI=\"10.\($0)\"" }.joined(separator: "\n")
        let head = "#EXT-X-TARGETDURATION:4\n#EXT-X-PART-INF:PART-TARGET=1\n#EXT-X-SERVER-CONTROL:\(control)"
        let playlist = try Script.media(head, entries, parts)
        #expect(playlist.partDuration == .seconds(Double(count)))
        #expect(HLSJoin.reserve(of: playlist)?.seconds == reserve)
        #expect(HLSJoin(playlist)?.place == place)
        let complete = try Script.media(head, entries, "#EXT-X-ENDLIST")
        #expect(HLSJoin.reserve(of: complete) == nil)
        // Only `START` applies to a complete playlist.
        #expect(HLSJoin(complete)?.place == (control.contains("START") ? place : 0))
    }

    @Test(
        "Playback does not begin in a gap",
        arguments: [("1100000000", 2), ("1111111111", 0), ("0000000100", 6), ("1111111110", 9), ("0000000011", 7)]
    )
    func gaps(_ gaps: String, _ place: Int) throws {
        let entries = gaps.enumerated().map { "\($1 == "1" ? "#EXT-X-GAP\n" : "")#EXTINF:4,\n\($0)" }
        let kind = gaps.first == "1" ? "#EXT-X-ENDLIST" : "#EXT-X-VERSION:3"
        let playlist = try Script.media("#EXT-X-TARGETDURATION:4", kind, entries.joined(separator: "\n"))
        #expect(HLSJoin(playlist)?.place == place)
    }

    @Test("A playlist without entries has no start position") func empty() throws {
        #expect(HLSJoin(try Script.media("#EXT-X-TARGETDURATION:4")) == nil)
    }
}
