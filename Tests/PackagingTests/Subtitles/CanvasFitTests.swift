// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Packaging
import Testing

@Suite("Where images of subtitles lie on a video")
struct CanvasFitTests {
    /// The top and the height of an image at the bottom of a canvas, in lines of the video.
    private func lines(
        canvas: (Int, Int),
        top: Double,
        stored: (Int, Int),
        shown: (Int, Int)
    ) -> (top: Double, height: Double) {
        let image = CueImage(
            png: [],
            width: 100,
            height: canvas.1 / 10,
            corner: CuePosition(x: 0.25, y: top),
            extent: CuePosition(x: 0.5, y: 0.1),
            canvasWidth: canvas.0,
            canvasHeight: canvas.1
        )
        let place = CanvasFit(stored: stored, shown: shown).place(of: image)
        #expect(place.x == 0.25 && place.width == 0.5)
        return (place.y * Double(shown.1), place.height * Double(shown.1))
    }

    @Test("a canvas of the video's shape covers it, whatever its size")
    func sameShape() {
        for size in [(1920, 1080), (1280, 720), (720, 404)] {
            let found = lines(canvas: (1920, 1080), top: 0.85, stored: size, shown: size)
            #expect(abs(found.top - 0.85 * Double(size.1)) < 1 && abs(found.height - 0.1 * Double(size.1)) < 1)
        }
    }

    @Test("a canvas of the stored size covers a video whose pixels are not square")
    func anamorphic() {
        let found = lines(canvas: (720, 576), top: 0.85, stored: (720, 576), shown: (1024, 576))
        #expect(abs(found.top - 489.6) < 1 && abs(found.height - 57.6) < 1)
    }

    @Test("a canvas of standard definition covers any video", arguments: [[704, 576], [1024, 576], [1280, 720]])
    func standardDefinition(size: [Int]) {
        let (shown, height) = ((size[1] * 16 / 9, size[1]), Double(size[1]))
        let found = lines(canvas: (720, 576), top: 0.85, stored: (size[0], size[1]), shown: shown)
        #expect(abs(found.top - 0.85 * height) < 1 && abs(found.height - 57.0 / 576 * height) < 1.5)
    }

    @Test("where black bars were cut off, images keep their place, and move inside if they lay in the bars")
    func cropped() {
        let inside = lines(canvas: (1920, 1080), top: 0.7, stored: (1920, 800), shown: (1920, 800))
        #expect(abs(inside.top - (756 - 140)) < 1 && abs(inside.height - 108) < 1)
        #expect(abs(lines(canvas: (1920, 1080), top: 0.9, stored: (1920, 800), shown: (1920, 800)).top - 692) < 1)
        #expect(lines(canvas: (1920, 1080), top: 0, stored: (1920, 800), shown: (1920, 800)).top == 0)
    }
}
