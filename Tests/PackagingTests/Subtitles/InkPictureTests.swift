// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Packaging

@Suite("Pictures of text for recognition")
struct InkPictureTests {
    /// A block of `fill` with a border of `edge` two pixels wide, in the middle of a transparent picture.
    private func picture(fill: [UInt8], edge: [UInt8], size: Int = 20) -> [UInt8] {
        (0..<size).flatMap { y in
            (0..<size).flatMap { x -> [UInt8] in
                let depth = min(x, y, size - 1 - x, size - 1 - y)
                return depth < 4 ? [0, 0, 0, 0] : depth < 6 ? edge : fill
            }
        }
    }

    private let white: [UInt8] = [255, 255, 255, 255]
    private let black: [UInt8] = [0, 0, 0, 255]

    @Test("Letters become ink, and outlines and transparent areas become paper, whichever is brighter")
    func polarity() throws {
        for (fill, edge) in [(white, black), (black, white), ([255, 255, 0, 255], black), ([0, 0, 90, 255], white)] {
            let ink = try #require(
                InkPicture(width: 20, height: 20, pixels: picture(fill: fill, edge: edge), canvasHeight: 1080)
            )
            #expect((ink.width, ink.height) == (60, 60))
            func value(_ x: Int, _ y: Int) -> UInt8 { ink.pixels[(y + 20) * ink.width + x + 20] }
            #expect(value(10, 10) < 100, "the letter")
            #expect(value(4, 10) == 255 && value(0, 0) == 255 && value(-20, -20) == 255)
        }
    }

    @Test("Pictures of small canvases are enlarged, without a shift")
    func enlarged() throws {
        let small = picture(fill: white, edge: black)
        for (canvas, factor) in [(1080, 1), (720, 2), (576, 2), (480, 2), (288, 4), (0, 4)] {
            let ink = try #require(InkPicture(width: 20, height: 20, pixels: small, canvasHeight: canvas))
            #expect(ink.width == 20 * factor + 40)
            // Symmetric as the picture is.
            for y in 0..<ink.height {
                let row = ink.pixels[(y * ink.width)..<((y + 1) * ink.width)]
                #expect(zip(row, row.reversed()).allSatisfy { abs(Int($0) - Int($1)) <= 1 })
            }
            #expect(ink.pixels[ink.height / 2 * ink.width + ink.width / 2] == 0)
        }
    }

    @Test("Pictures without pixels, or with far too many, are rejected")
    func wrong() {
        #expect(InkPicture(width: 0, height: 5, pixels: [], canvasHeight: 480) == nil)
        #expect(InkPicture(width: 2, height: 2, pixels: [1, 2, 3], canvasHeight: 480) == nil)
        let large = [UInt8](repeating: 0, count: 4 * 4096 * 2048)
        #expect(InkPicture(width: 4096, height: 2048, pixels: large, canvasHeight: 100) == nil)
    }

    @Test("The file is a PGM")
    func file() throws {
        let ink = try #require(InkPicture(width: 1, height: 1, pixels: white, canvasHeight: 1080))
        #expect(String(decoding: ink.file.prefix(13), as: UTF8.self) == "P5 41 41 255\n")
        #expect(ink.file.count == 13 + 41 * 41)
    }
}
