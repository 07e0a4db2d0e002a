// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Packaging

@Suite("Blending of subtitle layers")
struct PaintedRegionTests {
    private func blend(
        _ coverage: [UInt8],
        _ box: PixelBox,
        stride: Int? = nil,
        _ color: UInt32,
        into region: inout PaintedRegion
    ) {
        region.blend(coverage.span, stride: stride ?? box.width, at: box, color: color)
    }

    @Test("An opaque colour covers, a transparent one changes nothing, and half coverage gives half of each component")
    func one() {
        var region = PaintedRegion(PixelBox(x: 10, y: 20, width: 3, height: 1))
        blend([255, 0, 255], PixelBox(x: 10, y: 20, width: 3, height: 1), 0x2040_6000, into: &region)
        blend([255, 255, 255], PixelBox(x: 10, y: 20, width: 3, height: 1), 0xFFFF_FFFF, into: &region)
        #expect(region.pixels == [0x20, 0x40, 0x60, 255, 0, 0, 0, 0, 0x20, 0x40, 0x60, 255])
        blend([128], PixelBox(x: 11, y: 20, width: 1, height: 1), 0xFF00_0000, into: &region)
        #expect(Array(region.pixels[4..<8]) == [128, 0, 0, 128])
    }

    @Test("Only the part of a mask within the region is blended")
    func clipped() {
        var region = PaintedRegion(PixelBox(x: 0, y: 0, width: 2, height: 2))
        // Three wide with one byte of padding; the last row ends without it.
        let mask: [UInt8] = [1, 2, 3, 0, 4, 255, 6, 0, 7, 8, 255]
        blend(mask, PixelBox(x: -1, y: -1, width: 3, height: 3), stride: 4, 0xFFFF_FF00, into: &region)
        #expect(region.pixels.enumerated().filter { $0.offset % 4 == 3 }.map(\.element) == [255, 6, 8, 255])
        blend([255], PixelBox(x: 5, y: 5, width: 1, height: 1), 0xFFFF_FF00, into: &region)
        blend([255], PixelBox(x: 0, y: -9, width: 1, height: 1), 0xFFFF_FF00, into: &region)
    }

    @Test("Each pixel has the layers that cover it, in their order")
    func order() {
        var region = PaintedRegion(PixelBox(x: 0, y: 0, width: 3, height: 1))
        blend([255, 255], PixelBox(x: 0, y: 0, width: 2, height: 1), 0xFF00_0000, into: &region)
        blend([128, 128], PixelBox(x: 1, y: 0, width: 2, height: 1), 0x0000_FF00, into: &region)
        #expect(Array(region.pixels[0..<4]) == [255, 0, 0, 255])
        #expect(Array(region.pixels[4..<8]) == [127, 0, 128, 255])
        #expect(Array(region.pixels[8..<12]) == [0, 0, 128, 128])
    }

    @Test("Distant boxes stay apart, near ones are joined, and regions never overlap")
    func regions() {
        var regions = PictureRegions(on: PixelBox(x: 0, y: 0, width: 1000, height: 500))
        regions.add(PixelBox(x: 100, y: 10, width: 50, height: 20))
        regions.add(PixelBox(x: 100, y: 400, width: 50, height: 20))
        regions.add(PixelBox(x: 300, y: 10, width: 50, height: 20))
        #expect(regions.boxes.count == 3)
        // Bridges the two at the top.
        regions.add(PixelBox(x: 155, y: 12, width: 140, height: 4))
        #expect(
            Set(regions.boxes) == [
                PixelBox(x: 100, y: 400, width: 50, height: 20), PixelBox(x: 100, y: 10, width: 250, height: 20),
            ]
        )
        regions.add(PixelBox(x: -20, y: 490, width: 30, height: 30))
        #expect(regions.boxes.last == PixelBox(x: 0, y: 490, width: 10, height: 10))
        regions.add(PixelBox(x: 2000, y: 0, width: 5, height: 5))
        #expect(regions.boxes.count == 3)
    }

    @Test("Many regions become one")
    func limit() {
        var regions = PictureRegions(on: PixelBox(x: 0, y: 0, width: 10_000, height: 100))
        for place in 0..<9 { regions.add(PixelBox(x: place * 1000, y: 0, width: 10, height: 10)) }
        #expect(regions.boxes == [PixelBox(x: 0, y: 0, width: 8010, height: 10)])
    }
}
