// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineRuntime
import EngineTestKit
import Foundation
import Testing

@testable import Bindings
@testable import Decoding

@Suite("Overlays on frames", .timeLimit(.minutes(10)), .needsFFmpegCommand)
struct OverlayTests {
    private static func svg(_ color: String, opacity: Double = 1) -> String {
        """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10" preserveAspectRatio="none">\
        <rect width="10" height="10" fill="\(color)" fill-opacity="\(opacity)"/></svg>
        """
    }

    private static let center = OverlayRectangle(x: 0.25, y: 0.25, width: 0.5, height: 0.5)

    /// Y, Cb and Cr of a pixel of an 8-bit frame in `yuv444p` or a similar format.
    private static func pixel(_ frame: VideoFrame, _ x: Int, _ y: Int) -> [Int] {
        let bytes = frame.packed.bytes
        let plane = frame.width * frame.height
        return (0..<3).map { Int(bytes[$0 * plane + y * frame.width + x]) }
    }

    @Test("a drawing fills its rectangle and nothing else, and the frame keeps its pixel format")
    func place() async throws {
        let studio = FilterStudio()
        let (_, frames) = try await studio.film("yuv444p", size: "64x48", count: 1, filter: "lutyuv=y=16:u=128:v=128")
        try await studio.ask(.put(Overlay(name: "box", svg: Self.svg("#ffffff"), rectangle: Self.center)))
        let treated = try await studio.applyUntilDrawn(frames[0]).frame
        #expect(treated.shape.pixelFormat == "yuv444p")
        for (x, y, luma) in [(16, 12, 235), (47, 35, 235), (15, 12, 16), (16, 11, 16), (48, 35, 16), (47, 36, 16)] {
            #expect(abs(Self.pixel(treated, x, y)[0] - luma) <= 1, "\(x),\(y)")
        }
        let placed = studio.findings.withLock { $0 }
        let bounds = OverlayBounds(x: 16, y: 12, width: 32, height: 24, pictureWidth: 64, pictureHeight: 48)
        #expect(placed == [.placed(["box": bounds])])
    }

    @Test(
        "a square drawing is centred in a wider or taller rectangle, even with sides of odd length",
        arguments: ["yuv420p", "yuv420p10le", "yuv444p"]
    )
    func middle(format: String) async throws {
        let studio = FilterStudio()
        let (_, frames) = try await studio.film(format, size: "256x96", count: 1, filter: "lutyuv=y=16:u=128:v=128")
        let square = Self.svg("#ffffff").replacing(" preserveAspectRatio=\"none\"", with: "")
        // The rectangles have 77 x 16 pixels at (128, 40), and 11 x 85 at (20, 5).
        let wide = OverlayRectangle(x: 0.5, y: 0.42, width: 0.3, height: 0.16)
        let high = OverlayRectangle(x: 0.08, y: 0.05, width: 0.043, height: 0.88)
        try await studio.ask(
            .put(Overlay(name: "wide", svg: square, rectangle: wide)),
            .put(Overlay(name: "high", svg: square, rectangle: high))
        )
        let treated = try await studio.applyUntilDrawn(frames[0]).frame
        let failures = studio.findings.withLock { $0 }.filter { if case .placed = $0 { false } else { true } }
        #expect(failures.isEmpty)
        // For 10 bits, only that nothing fails is checked.
        guard treated.shape.depth == 8 else { return }
        for (x, y) in [(160, 42), (172, 53), (22, 44), (28, 50)] {
            #expect(Self.luma(treated, x, y) > 225, "\(x),\(y)")
        }
        for (x, y) in [(130, 48), (156, 48), (178, 48), (203, 48), (25, 8), (25, 38), (25, 56), (25, 88)] {
            #expect(Self.luma(treated, x, y) < 24, "\(x),\(y)")
        }
    }

    /// The luma of a pixel in an 8-bit frame.
    private static func luma(_ frame: VideoFrame, _ x: Int, _ y: Int) -> Int {
        Int(frame.packed.bytes[y * frame.width + x])
    }

    @Test(
        "colours follow the frame's matrix",
        arguments: [("bt709", 63, 102, 240), ("smpte170m", 81, 90, 240)]
    )
    func colors(matrix: String, y: Int, cb: Int, cr: Int) async throws {
        let studio = FilterStudio()
        let tags = "lutyuv=y=16:u=128:v=128,setparams=colorspace=\(matrix):range=tv"
        let (_, frames) = try await studio.film("yuv444p", size: "64x48", count: 1, filter: tags)
        try await studio.ask(.put(Overlay(name: "red", svg: Self.svg("#ff0000"))))
        let treated = try await studio.applyUntilDrawn(frames[0]).frame
        let found = Self.pixel(treated, 30, 20)
        for (value, expected) in zip(found, [y, cb, cr]) { #expect(abs(value - expected) <= 2, "\(found)") }
    }

    @Test("a half-opaque drawing mixes equal parts of itself and the frame")
    func opacity() async throws {
        let studio = FilterStudio()
        let (_, frames) = try await studio.film("yuv444p", size: "64x48", count: 1, filter: "lutyuv=y=16:u=128:v=128")
        try await studio.ask(.put(Overlay(name: "half", svg: Self.svg("#ffffff", opacity: 0.5))))
        let treated = try await studio.applyUntilDrawn(frames[0]).frame
        #expect(abs(Self.pixel(treated, 30, 20)[0] - 126) <= 2)
    }

    @Test(
        "nothing of the frame shows through an opaque drawing, at any depth",
        arguments: [
            "yuv420p", "yuv420p10le", "yuv422p10le", "yuv444p10le", "yuv420p12le", "yuv444p12le", "yuv420p16le",
            "gray10le", "gray12le", "gbrp10le", "gbrp12le",
        ]
    )
    func opaque(format: String) async throws {
        var found: [[UInt8]] = []
        for filter in ["negate", "null"] {
            let studio = FilterStudio()
            let (_, frames) = try await studio.film(format, size: "64x48", count: 1, filter: filter)
            try await studio.ask(.put(Overlay(name: "over", svg: Self.svg("#c08040"))))
            let treated = try await studio.applyUntilDrawn(frames[0]).frame
            #expect(treated.shape.pixelFormat == format)
            found.append(treated.packed.bytes)
        }
        #expect(found[0] == found[1])
    }

    @Test("a drawing with a higher z is on top; a removed one is gone, and without drawings the frame is not copied")
    func layers() async throws {
        let studio = FilterStudio()
        let (_, frames) = try await studio.film("yuv444p", size: "64x48", count: 1, filter: "lutyuv=y=16:u=128:v=128")
        try await studio.ask(
            .put(Overlay(name: "white", svg: Self.svg("#ffffff"), z: 1)),
            .put(Overlay(name: "gray", svg: Self.svg("#000000"), rectangle: Self.center, z: 2))
        )
        var treated = try await studio.applyUntilDrawn(frames[0]).frame
        #expect(abs(Self.pixel(treated, 2, 2)[0] - 235) <= 1 && abs(Self.pixel(treated, 32, 24)[0] - 16) <= 1)
        try await studio.ask(.put(Overlay(name: "gray", svg: Self.svg("#000000"), rectangle: Self.center, z: 0)))
        treated = try await studio.applyUntilDrawn(frames[0]).frame
        #expect(abs(Self.pixel(treated, 32, 24)[0] - 235) <= 1)
        try await studio.ask(.removeOverlay("white"))
        treated = try await studio.applyUntilDrawn(frames[0]).frame
        #expect(abs(Self.pixel(treated, 2, 2)[0] - 16) <= 1)
        try await studio.ask(.clearOverlays)
        #expect(await studio.apply(frames)[0].frame === frames[0].frame)
        #expect(studio.findings.withLock { $0.last } == .placed([:]))
    }

    @Test("a drawing stays until its replacement is drawn")
    func replacement() async throws {
        let studio = FilterStudio()
        let (_, frames) = try await studio.film("yuv444p", size: "64x48", count: 1, filter: "lutyuv=y=16:u=128:v=128")
        try await studio.ask(.put(Overlay(name: "a", svg: Self.svg("#ffffff"))))
        _ = try await studio.applyUntilDrawn(frames[0])
        try await studio.ask(.put(Overlay(name: "a", svg: Self.svg("#fefefe"))))
        let treated = await studio.apply(frames)[0].frame
        #expect(Self.pixel(treated, 30, 20)[0] > 200)
    }

    @Test(
        "on a frame that is rotated for display, a drawing's rectangle is relative to the displayed picture",
        arguments: [0, 90, 180, 270]
    )
    func rotation(degrees: Int) async throws {
        let studio = FilterStudio(rotation: degrees)
        let (_, frames) = try await studio.film("yuv444p", size: "64x48", count: 1, filter: "lutyuv=y=16:u=128:v=128")
        let corner = OverlayRectangle(x: 0, y: 0, width: 0.5, height: 0.25)
        try await studio.ask(.put(Overlay(name: "corner", svg: Self.svg("#ffffff"), rectangle: corner)))
        let treated = try await studio.applyUntilDrawn(frames[0]).frame
        // The top left corner and the bottom right corner as displayed, in coded pixels.
        let seen = [0: (2, 2, 60, 45), 90: (2, 45, 60, 2), 180: (60, 45, 2, 2), 270: (60, 2, 2, 45)][degrees]
        let (x, y, otherX, otherY) = try #require(seen)
        #expect(abs(Self.pixel(treated, x, y)[0] - 235) <= 1)
        #expect(abs(Self.pixel(treated, otherX, otherY)[0] - 16) <= 1)
        let (width, height) = degrees % 180 == 0 ? (64, 48) : (48, 64)
        let bounds = OverlayBounds(
            x: 0,
            y: 0,
            width: width / 2,
            height: height / 4,
            pictureWidth: width,
            pictureHeight: height
        )
        #expect(studio.findings.withLock { $0 } == [.placed(["corner": bounds])])
    }

    /// The bounds of the overlay `box`, in the order in which they were reported.
    private static func sizes(_ findings: [SharedTreatment.Finding]) -> [[Int]] {
        findings.map { finding in
            guard case .placed(let bounds) = finding, let box = bounds["box"] else { return [] }
            return [box.x, box.y, box.width, box.height]
        }
    }

    @Test("the bounds are reported again when the size of the frames changes")
    func bounds() async throws {
        let studio = FilterStudio()
        let (_, small) = try await studio.film("yuv420p", size: "64x48", count: 2)
        let (_, large) = try await studio.film("yuv420p10le", size: "128x96", count: 1)
        try await studio.ask(.put(Overlay(name: "box", svg: Self.svg("#ffffff"), rectangle: Self.center)))
        for timed in small + large { _ = try await studio.applyUntilDrawn(timed) }
        #expect(Self.sizes(studio.findings.withLock { $0 }) == [[16, 12, 32, 24], [32, 24, 64, 48]])
    }

    @Test("bounds are in square pixels, even where only the container gives the pixel aspect ratio")
    func aspect() async throws {
        let studio = FilterStudio(aspect: Ratio(2, 1))
        let (_, frames) = try await studio.film("yuv420p", size: "64x48", count: 1)
        try await studio.ask(.put(Overlay(name: "box", svg: Self.svg("#ffffff"), rectangle: Self.center)))
        _ = try await studio.applyUntilDrawn(frames[0])
        #expect(Self.sizes(studio.findings.withLock { $0 }) == [[32, 12, 64, 24]])
    }

    @Test(
        "drawings are laid over frames of common pixel formats",
        arguments: ["yuv420p", "yuv422p", "yuv420p10le", "yuv422p10le", "yuv420p12le", "gray", "bgr0", "gbrp10le"]
    )
    func formats(format: String) async throws {
        let studio = FilterStudio()
        let (_, frames) = try await studio.film(format, size: "64x48", count: 1)
        try await studio.ask(.put(Overlay(name: "box", svg: Self.svg("#ffffff"), rectangle: Self.center)))
        let treated = try await studio.applyUntilDrawn(frames[0]).frame
        #expect(treated.shape == frames[0].frame.shape)
        #expect(treated.packed.bytes != frames[0].frame.packed.bytes)
        #expect(studio.findings.withLock { $0.count } == 1)
    }

    /// All samples of a frame, in the order in which ffmpeg would write them.
    private static func samples(_ frame: VideoFrame, isDeep: Bool) -> [Int] {
        let bytes = frame.packed.bytes
        guard isDeep else { return bytes.map { Int($0) } }
        return stride(from: 0, to: bytes.count - 1, by: 2).map { Int(bytes[$0]) | Int(bytes[$0 + 1]) << 8 }
    }

    @Test(
        "in the first plane, samples outside a drawing keep every bit, and samples under a white drawing are white",
        arguments: [
            "yuv420p10le", "yuv422p10le", "yuv444p10le", "yuv420p12le", "yuv422p12le", "yuv444p12le", "yuv440p12le",
            "yuv444p16le",
            "gbrp10le", "gbrp12le", "gray10le", "gray12le", "yuv420p",
        ]
    )
    func depth(format: String) async throws {
        let studio = FilterStudio()
        // The noise uses every bit of the samples.
        let noise =
            "format=gbrp16le,geq=r='mod(X*577+Y*311,65536)':g='mod(X*401,65536)':b='mod(Y*1201,65536)',format=gbrp16le"
        let (_, frames) = try await studio.film(format, size: "64x48", count: 1, filter: noise)
        // The rectangle of the drawing is the whole frame, but only the middle of the drawing is painted.
        let drawing = """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 48">\
            <rect x="16" y="12" width="32" height="24" fill="#ffffff"/></svg>
            """
        try await studio.ask(.put(Overlay(name: "middle", svg: drawing)))
        let treated = try await studio.applyUntilDrawn(frames[0]).frame
        #expect(treated.shape == frames[0].frame.shape)
        let isDeep = treated.shape.depth > 8
        let (before, after) = (Self.samples(frames[0].frame, isDeep: isDeep), Self.samples(treated, isDeep: isDeep))
        try #require(before.count == after.count)
        // The first plane is luma, or green.
        let top = (1 << treated.shape.depth) - 1
        let isFull = treated.shape.isFullRange
        let white = isFull ? top : 235 << (treated.shape.depth - 8)
        for y in 0..<48 {
            for x in 0..<64 {
                let isInside = (17..<47).contains(x) && (13..<35).contains(y)
                let isOutside = !(15..<49).contains(x) || !(11..<37).contains(y)
                let place = y * 64 + x
                if isOutside { #expect(after[place] == before[place], "\(x),\(y)") }
                if isInside { #expect(abs(after[place] - white) <= max(1, top >> 8), "\(x),\(y)") }
            }
        }
    }

    @Test(
        "ASS drawings look almost as libass renders them",
        arguments: [
            "{\\an7\\pos(0,0)\\p1}m 40 20 l 160 20 160 80 40 80",
            "{\\an7\\pos(20,10)\\p1\\c&H2080FF&}m 0 0 b 0 60 120 60 120 0 l 120 70 0 70",
            "{\\an7\\pos(0,0)\\p2\\c&H00FF00&\\1a&H60&}m 80 40 s 320 40 320 160 80 160 c",
            "{\\an7\\pos(0,0)\\p1\\bord6\\3c&H0000FF&}m 40 20 l 160 20 100 80",
            "{\\an7\\pos(0,0)\\p1\\bord6\\3c&H0000FF&\\1a&H80&}m 40 20 l 160 20 100 80",
            "{\\an7\\pos(0,0)\\p1}m 40 20 l 160 20 160 80 40 80 m 60 30 l 60 70 140 70 140 30",
            "{\\an7\\pos(0,0)\\p1}m 20 20 l 60 20 60 50 20 50 n 100 20 l 140 20 140 50 100 50",
        ]
    )
    func ass(text: String) async throws {
        let studio = FilterStudio()
        let (path, frames) = try await studio.film("gbrp", size: "200x100", count: 1, filter: "lutrgb=r=40:g=40:b=40")
        let script = try await studio.script(text, width: 200, height: 100)
        let expected = try await studio.reference(path, "ass=\(script)", format: "bgr0", count: 1)[0]
        try await studio.ask(.put(Overlay(name: "ass", .ass(ASSDrawing(text, width: 200, height: 100)))))
        let found = try await studio.applyUntilDrawn(frames[0]).frame.packed.bytes
        try #require(found.count == expected.count)
        // The fourth byte of a pixel is unused.
        let differences = found.indices.filter { $0 % 4 < 3 }.map { abs(Int(found[$0]) - Int(expected[$0])) }
        // Edges are smoothed slightly differently.
        #expect(differences.count { $0 > 6 } <= differences.count / 33)
        #expect(differences.reduce(0, +) <= differences.count)
        #expect(expected.count { $0 != 40 } > expected.count * 3 / 10)
    }

    @Test("white in a drawing is reference white on HDR video")
    func highDynamicRange() async throws {
        let studio = FilterStudio()
        let tags =
            "lutyuv=y=64:u=512:v=512,setparams=colorspace=bt2020nc:color_primaries=bt2020:color_trc=smpte2084:range=tv"
        let (_, frames) = try await studio.film(
            "yuv420p10le",
            size: "64x48",
            count: 1,
            filter: "format=yuv420p10le,\(tags)"
        )
        try await studio.ask(.put(Overlay(name: "white", svg: Self.svg("#ffffff"))))
        let bytes = try await studio.applyUntilDrawn(frames[0]).frame.packed.bytes
        let place = 2 * (64 * 20 + 30)
        let luma = Int(bytes[place]) | Int(bytes[place + 1]) << 8
        // 203 cd/m² is 0.58 of the PQ signal (BT.2408): 64 + 0.58 * 876.
        #expect(abs(luma - 573) <= 4)
    }

    @Test("an invalid drawing is rejected, and an external image is not drawn")
    func refused() async throws {
        let artist = OverlayRasterizer()
        let size = Drawing.Size(width: 16, height: 16)
        await #expect(throws: EngineError.self) { try await artist.draw(.svg("<svg"), in: size) }
        // Even without `DrawingText.check`, the SVG renderer draws no external file.
        let red = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
        let file = FileManager.default.temporaryDirectory.appending(path: "engine-\(UUID().uuidString).png")
        try #require(Data(base64Encoded: red)).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let drawing = try await artist.draw(
            """
            <svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 9 9">\
            <image xlink:href="\(file.absoluteString)" width="9" height="9"/></svg>
            """,
            in: size
        )
        #expect(drawing.packed.bytes.allSatisfy { $0 == 0 })
    }
}
