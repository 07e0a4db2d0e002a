// SPDX-License-Identifier: Apache-2.0

import EngineModel
@testable import Packaging
import Testing

@Suite struct HLSLadderTests {
    /// `height codecs bandwidth [range]`, one variant per line.
    private static func variants(_ text: String) throws -> [HLSVariant] {
        let lines = text.split(separator: "\n").enumerated().flatMap { place, line in
            let words = line.split(separator: " ")
            let size = words[0] == "-" ? "" : ",RESOLUTION=\(words[0])0x\(words[0])"
            let range = words.count > 3 ? ",VIDEO-RANGE=\(words[3])" : ""
            return ["#EXT-X-STREAM-INF:BANDWIDTH=\(words[2]),CODECS=\"\(words[1])\"\(size)\(range)", "\(place).m3u8"]
        }
        return try Script.multivariant(lines.joined(separator: "\n")).variants
    }

    private static let mixed = """
        720 avc1.64001F,mp4a.40.2 3000
        360 avc1.64001E,mp4a.40.2 1000
        1080 avc1.640028,mp4a.40.2 6000
        1080 hvc1.2.4.L120,mp4a.40.2 4000 PQ
        - mp4a.40.2 64
        720 avc1.64001F,mp4a.40.2 3000
        480 xyz1,mp4a.40.2 1500
        """

    private static func ladder(_ text: String, _ policy: HLSVariantPolicy) throws -> HLSLadder {
        try HLSLadder(try variants(text), policy: policy) { $0.filter { $0.hasPrefix("xyz") } }
    }

    @Test("Usable variants are in ascending order of bandwidth; each excluded variant has a reason")
    func usable() throws {
        let ladder = try Self.ladder(Self.mixed, HLSVariantPolicy())
        #expect(ladder.rungs.map(\.place) == [1, 0, 3, 2])
        #expect(ladder.rungs[1].backups == [5])
        #expect(
            ladder.excluded == [
                4: .audioOnly, 5: .backup(of: 0), 6: .codecs(["xyz1"]),
            ]
        )
    }

    @Test(
        "The policy determines the variants",
        arguments: [
            (HLSVariantPolicy(maxHeight: 720), [1, 0]),
            (HLSVariantPolicy(maxHeight: 100), [1]),
            (HLSVariantPolicy(maxBandwidth: 3999), [1, 0]),
            (HLSVariantPolicy(maxBandwidth: 10), [1]),
            (HLSVariantPolicy(maxHeight: 1080, maxBandwidth: 4000), [1, 0, 3]),
            (HLSVariantPolicy(choice: .fixed(3)), [3]),
            (HLSVariantPolicy(choice: .fixed(4), maxHeight: 100), [4]),
            (HLSVariantPolicy(choice: .fixed(5)), [5]),
        ]
    )
    func policies(_ policy: HLSVariantPolicy, _ places: [Int]) throws {
        let ladder = try Self.ladder(Self.mixed, policy)
        #expect(ladder.rungs.map(\.place) == places)
        // Every variant is used, or has a reason for its exclusion.
        #expect(Set(places).union(ladder.excluded.keys) == Set(0..<7))
        #expect(Set(places).isDisjoint(with: ladder.excluded.keys))
    }

    @Test("An audio-only presentation has a ladder too")
    func audioOnly() throws {
        let ladder = try Self.ladder("- mp4a.40.2 128\n- mp4a.40.2 64", HLSVariantPolicy())
        #expect(ladder.rungs.map(\.place) == [1, 0])
    }

    @Test(
        "An impossible choice fails with the reason",
        arguments: [
            ("720 xyz1 3000", .ladder, .noneDecodable([0: .codecs(["xyz1"])])),
            ("720 avc1 3000", .fixed(1), .noSuchVariant(1, count: 1)),
            ("720 avc1 3000", .fixed(-1), .noSuchVariant(-1, count: 1)),
            ("720 avc1 3000\n720 xyz1 1", .fixed(1), .notDecodable(1, ["xyz1"])),
        ] as [(String, HLSVariantPolicy.Choice, HLSLadder.Failure)]
    )
    func failures(_ text: String, _ choice: HLSVariantPolicy.Choice, _ failure: HLSLadder.Failure) {
        #expect(throws: failure) { try Self.ladder(text, HLSVariantPolicy(choice: choice)) }
    }
}
