// SPDX-License-Identifier: Apache-2.0

import DrawingWire
import Packaging
import Testing

@testable import engined_subtitles

@Suite("Drawing of scripts by libass", .timeLimit(.minutes(10)))
struct ScriptDrawerTests {
    private static let header = """
        [Script Info]
        ScriptType: v4.00+
        PlayResX: 640
        PlayResY: 360

        [V4+ Styles]
        Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, Bold, Italic, \
        Underline, StrikeOut, ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, Shadow, Alignment, MarginL, MarginR, \
        MarginV, Encoding
        Style: Default,DejaVu Sans,40,&H00FFFFFF,&H000000FF,&H00000000,&H00000000,0,0,0,0,100,100,0,0,1,0,0,7,0,0,0,1

        [Events]
        """

    private func drawer(width: Int = 640, height: Int = 360) -> ScriptDrawer {
        ScriptDrawer(header: Array(Self.header.utf8), fonts: [], DrawingSetup(width: width, height: height))
    }

    private func box(_ number: Int, x: Int, y: Int, color: String) -> [UInt8] {
        Array("\(number),0,Default,,0,0,0,,{\\pos(\(x),\(y))\\c&H\(color)&\\p1}m 0 0 l 60 0 60 40 0 40".utf8)
    }

    @Test("A drawing has the place and size that the script gives it, scaled to the canvas")
    func drawing() throws {
        for scale in [1, 2] {
            var drawer = drawer(width: 640 * scale, height: 360 * scale)
            drawer.add(box(0, x: 100, y: 50, color: "0000FF"), start: 1000, duration: 1000, now: 0)
            #expect(try drawer.draw(at: 999)?.count == 0)
            let region = try #require(try drawer.draw(at: 1000)?.first)
            let pixels = region.pixels
            let opaque = stride(from: 3, to: pixels.count, by: 4).filter { pixels[$0] >= 128 }
            #expect(opaque.count == 60 * 40 * scale * scale)
            let first = try #require(opaque.first) / 4
            #expect(region.box.x + first % region.box.width == 100 * scale)
            #expect(region.box.y + first / region.box.width == 50 * scale)
            let middle = opaque[opaque.count / 2 + 30 * scale]
            #expect(Array(pixels[(middle - 3)...middle]) == [255, 0, 0, 255])
            #expect(try drawer.draw(at: 2000)?.count == 0)
        }
    }

    @Test("An unchanged picture is nil, unless lines were laid out meanwhile")
    func unchanged() throws {
        var drawer = drawer()
        drawer.add(box(0, x: 0, y: 0, color: "FFFFFF"), start: 0, duration: 5000, now: 0)
        #expect(try drawer.draw(at: 0)?.count == 1)
        #expect(try drawer.draw(at: 100) == nil)
        drawer.layOut(at: 200)
        #expect(try drawer.draw(at: 300)?.count == 1)
        #expect(try drawer.draw(at: 400) == nil)
    }

    @Test("Events with the same number are all drawn; where events overlap, the higher number is on top")
    func order() throws {
        var drawer = drawer()
        drawer.add(box(0, x: 0, y: 0, color: "00FF00"), start: 0, duration: 5000, now: 0)
        drawer.add(box(0, x: 200, y: 200, color: "00FF00"), start: 0, duration: 5000, now: 0)
        #expect(try drawer.draw(at: 0)?.count == 2)
        drawer.add(box(2, x: 200, y: 200, color: "0000FF"), start: 0, duration: 5000, now: 0)
        drawer.add(box(1, x: 200, y: 200, color: "FF0000"), start: 0, duration: 5000, now: 0)
        let region = try #require(try drawer.draw(at: 1)?.first { $0.box.x >= 150 })
        #expect(region.pixels.contains(255))
        let middle = (region.box.height / 2 * region.box.width + region.box.width / 2) * 4
        #expect(Array(region.pixels[middle..<(middle + 4)]) == [255, 0, 0, 255])
    }

    @Test("Text is drawn with the system's fonts")
    func text() throws {
        var drawer = drawer()
        drawer.add(Array("0,0,Default,,0,0,0,,Text".utf8), start: 0, duration: 1000, now: 0)
        let region = try #require(try drawer.draw(at: 0)?.first)
        #expect((60...150).contains(region.box.width) && (20...60).contains(region.box.height))
    }

    @Test("Events that have ended are released, those on screen stay")
    func pruning() throws {
        var drawer = drawer()
        drawer.add(box(0, x: 0, y: 0, color: "FFFFFF"), start: 0, duration: 1_000_000, now: 0)
        for number in 0..<2000 {
            let start = Int64(number) * 100
            drawer.add(box(0, x: 300, y: 200, color: "FFFFFF"), start: start, duration: 100, now: start)
        }
        #expect(drawer.eventCount < 600)
        #expect(try drawer.draw(at: 199_950)?.count == 2)
        #expect(try drawer.draw(at: 200_000)?.count == 1)
    }

    @Test("More layers than any author intends are refused")
    func exceedsLimits() throws {
        var drawer = drawer()
        let whole = "0,0,Default,,0,0,0,,{\\pos(0,0)\\p1}m 0 0 l 640 0 640 360 0 360"
        for _ in 0..<ScriptDrawer.blendingLimit { drawer.add(Array(whole.utf8), start: 0, duration: 1000, now: 0) }
        #expect(throws: Never.self) { try drawer.draw(at: 0) }
        for _ in 0..<20 { drawer.add(Array(whole.utf8), start: 0, duration: 1000, now: 0) }
        #expect(throws: ScriptDrawer.LimitExceeded.self) { try drawer.draw(at: 1) }
    }

    @Test("An invalid header and invalid events do not make drawing fail")
    func wrong() throws {
        var drawer = ScriptDrawer(
            header: Array("\u{0}\u{1}[V4+ Styles]\nStyle: ,,,".utf8),
            fonts: [[], [0, 1, 0, 0, 9]],
            DrawingSetup(width: 64, height: 64)
        )
        for event in ["", ",,,", "0,0,", "x\0y", "0,0,None,,0,0,0,,{\\p9999999999}m", "0,0,None,,0,0,0,,{\\t("] {
            drawer.add(Array(event.utf8), start: 0, duration: 1000, now: 0)
        }
        #expect(throws: Never.self) { try drawer.draw(at: 0) }
    }
}
