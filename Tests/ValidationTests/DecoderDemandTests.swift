// SPDX-License-Identifier: Apache-2.0

import Packaging
import Testing

@testable import Validation

@Suite("What init segments demand of decoders")
struct DecoderDemandTests {
    private func entry(_ type: String, _ payload: [UInt8]) -> [UInt8] {
        let box = [0, 0, 0, UInt8(payload.count + 8)] + Array(type.utf8) + payload
        return [UInt8](repeating: 0, count: 78) + box
    }

    private func demand(_ format: String, _ entry: [UInt8]) throws -> DecoderDemand? {
        try DecoderDemand(format: format, entry: entry)
    }

    @Test("records and CODECS of the same video agree")
    func same() throws {
        let high = try #require(try demand("av01", entry("av1C", [0x81, 0x0D, 0xE0, 0])))
        #expect(high == DecoderDemand(codec: "av01.0.13H.12"))
        let main = try #require(try demand("av01", entry("av1C", [0x81, 0x28, 0x4C, 0])))
        #expect(main == DecoderDemand(codec: "av01.1.08M.10.0.110.01.01.01.0"))
        let vp9 = try #require(try demand("vp09", entry("vpcC", [1, 0, 0, 0, 2, 41, 0xA2, 1, 1, 1, 0, 0])))
        #expect(vp9 == DecoderDemand(codec: "vp09.02.41.10"))
        #expect(vp9.description == "vp09 profile 2 level 41 with 10 bits")
    }

    @Test("other formats are not examined, and damaged ones are refused")
    func other() throws {
        #expect(try demand("avc1", []) == nil)
        for codec in ["avc1.640028", "mp4a.40.2", "av01.0.08.08", "av01.0.08M", "vp09.00.x.08", "", "av01.0.M.08"] {
            #expect(DecoderDemand(codec: codec) == nil)
        }
        let damaged: [(String, [UInt8])] = [
            ("av01", []), ("av01", entry("vpcC", [1, 0, 0, 0, 2, 41, 0xA2])), ("av01", entry("av1C", [0x81, 0])),
            ("av01", entry("av1C", [0x01, 0, 0, 0])), ("vp09", entry("vpcC", [0, 0, 0, 0, 2, 41, 0xA2])),
        ]
        for (format, entry) in damaged {
            #expect(throws: PackagingError.self) { try demand(format, entry) }
        }
    }

    @Test("CODECS that promise less than the media demands are a problem")
    func covering() throws {
        func problems(_ codecs: String, _ demand: String) throws -> [String] {
            let text = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1,CODECS=\"\(codecs)\",RESOLUTION=64x64\nvideo.m3u8\n"
            let master = PlaylistParser.parse(Array(text.utf8), uri: "master.m3u8")
            let wanted = try #require(DecoderDemand(codec: demand))
            return PlaylistRules.codecProblems(of: master, demands: ["video.m3u8": [wanted]]).map(\.message)
        }
        for codecs in ["av01.0.08M.08", "mp4a.40.2,av01.0.09M.08", "av01.0.08H.10", "av01.1.08M.08"] {
            #expect(try problems(codecs, "av01.0.08M.08") == [])
        }
        let missing = "CODECS of video.m3u8 does not cover av01 profile 0 level 8 with 8 bits"
        for codecs in ["av01.0.05M.08", "vp09.00.40.08", "avc1.640028", "mp4a.40.2"] {
            #expect(try problems(codecs, "av01.0.08M.08") == [missing])
        }
        #expect(try problems("av01.0.12M.08", "av01.0.12H.08").count == 1)
        #expect(try problems("vp09.00.40.08", "vp09.00.40.10").count == 1)
        #expect(try problems("vp09.00.40.08", "vp09.02.40.08").count == 1)
    }
}
