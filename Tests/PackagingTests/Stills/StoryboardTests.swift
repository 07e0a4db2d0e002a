// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Packaging
import Testing

@Suite("Storyboards", .timeLimit(.minutes(10)))
struct StoryboardTests {
    private func video(_ width: Int, _ height: Int, rotation: Int = 0) -> VideoProperties {
        var video = VideoProperties()
        (video.width, video.height, video.rotation) = (width, height, rotation)
        return video
    }

    private func boundaries(_ count: Int, every seconds: Double) -> [MediaTime] {
        (0...count).map { .seconds(Double($0) * seconds) }
    }

    @Test("A short source has one thumbnail per segment, each with its position on a sheet")
    func short() {
        let storyboard = Storyboard(boundaries: boundaries(27, every: 4), video: video(1920, 1080))
        #expect(storyboard.cells.count == 27)
        #expect(storyboard.sheetCount == 2)
        #expect(storyboard.cells(ofSheet: 0).count == 25)
        #expect(storyboard.cells(ofSheet: 1).map(\.start) == [.seconds(100), .seconds(104)])
        #expect(storyboard.cells(ofSheet: 2).isEmpty && storyboard.cells(ofSheet: -1).isEmpty)
        let text = String(decoding: storyboard.bytes(sheetPrefix: "s/"), as: UTF8.self)
        #expect(text.hasPrefix("WEBVTT\n\n00:00:00.000 --> 00:00:04.000\ns/0.jpg#xywh=0,0,160,90\n\n"))
        #expect(text.contains("\n00:00:28.000 --> 00:00:32.000\ns/0.jpg#xywh=320,90,160,90\n"))
        #expect(text.hasSuffix("\n00:01:44.000 --> 00:01:48.000\ns/1.jpg#xywh=160,0,160,90\n\n"))
    }

    @Test("A long source has thumbnails at least ten seconds apart, and they cover it completely")
    func long() {
        let storyboard = Storyboard(boundaries: boundaries(2000, every: 4), video: video(1920, 1080))
        #expect(storyboard.cells.count == 667)
        #expect(storyboard.cells.dropLast().allSatisfy { $0.end - $0.start == .seconds(12) })
        #expect(zip(storyboard.cells, storyboard.cells.dropFirst()).allSatisfy { $0.end == $1.start })
        #expect(storyboard.cells.last?.end == .seconds(8000))
        #expect(Storyboard(boundaries: boundaries(200, every: 10), video: video(320, 180)).cells.count == 200)
    }

    @Test("There are no more sheets than the thumbnails need", arguments: [(1, 1), (25, 1), (26, 2), (50, 2), (51, 3)])
    func sheets(frames: Int, sheets: Int) {
        #expect(Storyboard(boundaries: boundaries(frames, every: 4), video: video(320, 180)).sheetCount == sheets)
    }

    @Test(
        "Thumbnails have the display aspect ratio and are not enlarged",
        arguments: [
            (1920, 1080, 0, 160, 90), (1080, 1920, 0, 90, 160), (1920, 1080, 90, 90, 160), (320, 180, 0, 160, 90),
            (96, 64, 0, 96, 64), (1920, 800, 0, 160, 67), (0, 0, 0, 1, 1), (20_000, 2, 0, 160, 1),
        ]
    )
    func size(width: Int, height: Int, rotation: Int, shownWidth: Int, shownHeight: Int) {
        let storyboard = Storyboard(
            boundaries: boundaries(1, every: 4),
            video: video(width, height, rotation: rotation)
        )
        #expect(storyboard.width == shownWidth && storyboard.height == shownHeight)
    }

    @Test("A source without duration has no thumbnails", arguments: [[], [0], [0, 0], [5, 5, 5]])
    func empty(seconds: [Double]) {
        let storyboard = Storyboard(boundaries: seconds.map { .seconds($0) }, video: video(320, 180))
        #expect(storyboard.cells.isEmpty && storyboard.sheetCount == 0)
        #expect(storyboard.bytes(sheetPrefix: "") == Array("WEBVTT\n\n".utf8))
    }
}
