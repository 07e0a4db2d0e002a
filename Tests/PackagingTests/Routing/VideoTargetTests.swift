// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Packaging
import Testing

private struct Row: Sendable, CustomTestStringConvertible {
    var source: (width: Int, height: Int, rate: Ratio?)
    var size: [Int]
    var level: Int
    var preset: String
    var kilobits: Int

    var testDescription: String { "\(source.width)x\(source.height)" }
}

@Suite("How bridged video is encoded")
struct VideoTargetTests {
    @Test(
        "size, level, preset and bit rate follow from the source's size and rate",
        arguments: [
            Row(source: (720, 576, Ratio(25, 1)), size: [720, 576], level: 31, preset: "veryfast", kilobits: 5100),
            Row(
                source: (720, 480, Ratio(30_000, 1001)),
                size: [720, 480],
                level: 30,
                preset: "veryfast",
                kilobits: 4600
            ),
            Row(source: (1280, 720, Ratio(50, 1)), size: [1280, 720], level: 32, preset: "veryfast", kilobits: 13_500),
            Row(
                source: (1920, 1080, Ratio(24, 1)),
                size: [1920, 1080],
                level: 40,
                preset: "veryfast",
                kilobits: 17_600
            ),
            Row(
                source: (1920, 1080, Ratio(60, 1)),
                size: [1920, 1080],
                level: 42,
                preset: "superfast",
                kilobits: 33_100
            ),
            Row(
                source: (3840, 2160, Ratio(24, 1)),
                size: [1920, 1080],
                level: 40,
                preset: "veryfast",
                kilobits: 17_600
            ),
            Row(source: (1080, 1920, nil), size: [1080, 1920], level: 40, preset: "veryfast", kilobits: 17_600),
            Row(source: (321, 241, nil), size: [320, 240], level: 30, preset: "veryfast", kilobits: 2600),
            Row(source: (1, 1, nil), size: [2, 2], level: 30, preset: "veryfast", kilobits: 2000),
        ]
    )
    private func target(row: Row) {
        let target = VideoTarget(width: row.source.width, height: row.source.height, frameRate: row.source.rate)
        #expect([target.width, target.height] == row.size)
        #expect(target.level == row.level && target.preset == row.preset)
        #expect(target.maximumBitRate == row.kilobits * 1000 && target.bufferSize == target.maximumBitRate)
    }

    @Test(
        "a rate that is not credible is not used",
        arguments: [Ratio(0, 1), Ratio(1000, 1), Ratio(1, 0), Ratio(-1, 1)]
    )
    func rate(rate: Ratio) {
        #expect(VideoTarget(width: 640, height: 360, frameRate: rate).frameRate == Ratio(30, 1))
    }
}

@Suite("Which video is bridged")
struct VideoBridgingTests {
    private func reason(
        _ mode: VideoBridge,
        _ route: Route,
        _ formats: Set<String> = ["avc1"]
    ) -> String? {
        VideoBridging.reason(for: route, mode: mode, profile: PlayerProfile(name: "a player", formats: formats))
    }

    @Test("the options decide between copying, encoding and the software path")
    func modes() {
        let (copied, decoded) = (Route.remux("copied"), Route.software("no MPEG-2"))
        #expect(reason(.never, copied) == nil && reason(.never, decoded) == nil)
        #expect(reason(.whenNeeded, copied) == nil && reason(.whenNeeded, decoded) == "no MPEG-2")
        #expect(reason(.always, copied) != nil && reason(.always, decoded) == "no MPEG-2")
        #expect(reason(.always, .none("encrypted")) == nil)
    }

    @Test("a player without H.264 gets none")
    func player() { #expect(reason(.always, .software("no MPEG-2"), ["av01"]) == nil) }
}
