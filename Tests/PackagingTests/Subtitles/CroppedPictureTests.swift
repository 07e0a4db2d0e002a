// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Packaging

@Suite("Subtitle images", .timeLimit(.minutes(10)))
struct CroppedPictureTests {
    /// Clear, white, red with half alpha, and a nearly invisible colour.
    private let palette: [UInt32] = [0, 0xFFFF_FFFF, 0x80FF_0000, 0x0700_FF00]

    @Test("Invisible margins are cropped")
    func crops() throws {
        let indices: [UInt8] = [
            0, 0, 0, 0, 0,
            0, 3, 1, 0, 0,
            0, 0, 3, 2, 0,
            3, 0, 0, 0, 0,
        ]
        let picture = try #require(CroppedPicture(width: 5, height: 4, indices: indices, palette: palette))
        #expect((picture.x, picture.y, picture.width, picture.height) == (2, 1, 2, 2))
        #expect(picture.pixels == [255, 255, 255, 255, 0, 0, 0, 0, 0, 7, 0, 7, 128, 0, 0, 128])
    }

    @Test(
        "An invisible image is no image",
        arguments: [[0, 0, 0, 0], [3, 3, 3, 3], [9, 200, 9, 255], []] as [[UInt8]]
    )
    func nothing(indices: [UInt8]) {
        #expect(CroppedPicture(width: 2, height: 2, indices: indices, palette: palette) == nil)
    }

    @Test("Missing rows are invisible, and an image of size zero is no image")
    func short() {
        let picture = CroppedPicture(width: 2, height: 100, indices: [1, 1, 1], palette: palette)
        #expect(picture?.height == 1 && picture?.width == 2)
        #expect(CroppedPicture(width: 0, height: 9, indices: [1], palette: palette) == nil)
    }

    @Test("Colours are premultiplied and rounded, for every alpha")
    func multiplies() throws {
        for alpha in UInt32(8)...255 {
            let word = alpha << 24 | 0xC8_64_01
            let picture = try #require(CroppedPicture(width: 1, height: 1, indices: [0], palette: [word]))
            let opacity = Double(alpha)
            let colours = [200, 100, 1].map { (value: Double) in UInt8((value * opacity / 255).rounded()) }
            #expect(picture.pixels == colours + [UInt8(alpha)])
        }
    }

    @Test(
        "The canvas is the stream's, or the format's default, or the video's; always large enough",
        arguments: [
            ("hdmv_pgs_subtitle", (1920, 1080), (1280, 720), (10, 10), (1920, 1080)),
            ("dvb_subtitle", nil, (128, 96), (700, 500), (720, 576)),
            ("dvd_subtitle", nil, (720, 480), (10, 10), (720, 480)),
            ("dvd_subtitle", nil, (1280, 720), (1000, 700), (1280, 720)),
            ("dvd_subtitle", nil, nil, (10, 10), (720, 576)),
            ("dvb_subtitle", nil, (128, 96), (900, 500), (900, 576)),
        ] as [(String, (Int, Int)?, (Int, Int)?, (Int, Int), (Int, Int))]
    )
    func canvas(_ codec: String, declared: (Int, Int)?, video: (Int, Int)?, shown: (Int, Int), expected: (Int, Int)) {
        func canvas(_ size: (Int, Int)) -> PictureCanvas { PictureCanvas(width: size.0, height: size.1) }
        let chosen = PictureCanvas.chosen(
            declared: declared.map(canvas),
            for: CodecID(rawValue: codec),
            video: video.map(canvas),
            shown: canvas(shown)
        )
        #expect(chosen == canvas(expected))
    }

    @Test("Colours divided by alpha give the same premultiplied ones again")
    func straight() {
        for alpha in 0...255 {
            let pixels = [UInt8(0), UInt8(alpha / 2), UInt8(alpha), UInt8(alpha)]
            let straight = StraightAlpha.pixels(pixels)
            #expect(straight[3] == pixels[3])
            #expect(straight[0] == 0 && straight[2] == (alpha == 0 ? 0 : 255))
            #expect((0..<3).map { UInt8((Int(straight[$0]) * alpha + 127) / 255) } == Array(pixels[..<3]))
        }
        #expect(StraightAlpha.pixels([]) == [])
    }
}
