// SPDX-License-Identifier: Apache-2.0

import EngineModel
@testable import Packaging
import Testing

@Suite struct HLSJoinTests {
    @Test(
        "Playback begins where the playlist says; without a position, a live one begins three targets before its end",
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
