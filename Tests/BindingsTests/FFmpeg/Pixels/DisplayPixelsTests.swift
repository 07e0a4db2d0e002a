// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineRuntime
import Testing

@testable import Bindings

/// Compares converted frames with the output of `zscale`.
@Suite("Pixels for displays")
struct DisplayPixelsTests {
    struct Kind: CustomTestStringConvertible, Sendable {
        var format: String
        var colors = "color_primaries=bt709:color_trc=bt709:colorspace=bt709:range=tv"
        var location = "left"
        /// Not a multiple of the vector length.
        var width = 70
        /// The allowed relative difference in light. zimg rounds interpolated chroma to whole codes, and in PQ one code
        /// changes the light by 3%.
        var tolerance: Float = 0.01

        var testDescription: String { "\(format) \(location) \(colors)" }
    }

    static let kinds = [
        Kind(format: "yuv420p"),
        Kind(format: "yuv420p", location: "center"),
        Kind(format: "yuv420p", location: "topleft"),
        Kind(format: "yuv420p", location: "bottom"),
        Kind(format: "yuv422p10le"),
        Kind(format: "yuv444p12le", width: 33),
        Kind(format: "yuv440p"),
        Kind(format: "yuv420p", colors: "color_primaries=bt470bg:color_trc=bt470bg:colorspace=bt470bg:range=pc"),
        Kind(
            format: "yuv444p16le",
            colors: "color_primaries=smpte240m:color_trc=iec61966-2-1:colorspace=smpte240m:range=tv"
        ),
        Kind(
            format: "yuv420p10le",
            colors: "color_primaries=bt2020:color_trc=smpte2084:colorspace=bt2020nc:range=tv",
            tolerance: 0.04
        ),
        Kind(
            format: "yuv420p10le",
            colors: "color_primaries=bt2020:color_trc=arib-std-b67:colorspace=bt2020nc:range=tv"
        ),
        Kind(format: "yuv420p", colors: "color_primaries=smpte432:color_trc=bt709:colorspace=bt709:range=tv"),
    ]

    @Test("R'G'B' matches the output of zscale", arguments: kinds)
    func codes(kind: Kind) async throws {
        let (seen, expected) = try await PixelStudio().codes(of: kind)
        #expect(seen.count == expected.count)
        let distances = zip(seen, expected).map { abs(Int($0) - Int($1)) }
        #expect(distances.max() ?? 255 <= 1)
        // Rounding differs where a value lies between two codes.
        #expect(distances.count { $0 > 0 } * 20 <= distances.count)
    }

    @Test("Linear light matches the output of zscale", arguments: kinds)
    func light(kind: Kind) async throws {
        let (seen, expected) = try await PixelStudio().light(of: kind)
        #expect(seen.count == expected.count)
        let farthest = zip(seen, expected).map { abs($0 - $1) / max(0.05, abs($1)) }.max() ?? .infinity
        #expect(farthest <= kind.tolerance, "\(farthest)")
    }

    @Test(
        "Rows do not depend on how a frame is divided, nor, except for rounding, on the processor's vector units",
        arguments: [kinds[0], kinds[4], kinds[9]]
    )
    func parts(kind: Kind) async throws {
        let studio = PixelStudio()
        let (whole, parts) = try await studio.rows(of: kind)
        #expect(whole == parts)
        let (new, old) = try await studio.processors(of: kind)
        #expect(zip(new, old).allSatisfy { abs(Int($0) - Int($1)) <= 1 })
        let ((newLight, _), (oldLight, _)) = (
            try await studio.light(of: kind), try await studio.light(of: kind, isPlain: true)
        )
        #expect(zip(newLight, oldLight).allSatisfy { abs($0 - $1) <= 0.002 * max(0.05, abs($1)) })
    }

    @Test("Frames with odd sides have chroma up to the edges", arguments: ["yuv420p", "yuv422p", "yuv420p10le"])
    func oddSides(format: String) async throws {
        let pixels = try await PixelStudio().plain(format, width: 13, height: 7)
        #expect(pixels.count == 13 * 7 * 4)
        for place in stride(from: 0, to: pixels.count, by: 4) {
            #expect(pixels[place..<place + 4].elementsEqual(pixels[..<4]))
        }
        #expect(pixels[3] == 255 && pixels[0] > pixels[1])
    }

    @Test(
        "Other formats are left to libswscale and zimg",
        arguments: ["rgb24", "gbrp", "nv12", "yuva420p", "gray", "yuv411p", "yuv410p"]
    )
    func others(format: String) async throws {
        #expect(try await !PixelStudio().isKnown(format))
    }
}

/// Converts on a thread that may block.
private actor PixelStudio {
    private let executor = ThreadExecutor(name: "test-pixels")
    private static let height = 48

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    /// A frame of waves.
    private func frame(_ kind: DisplayPixelsTests.Kind) throws -> VideoFrame {
        let blank = VideoFrame.blank(width: kind.width, height: Self.height, pts: 0)
        let chain = """
            format=yuv444p,geq=lum='120+100*sin(X/5)*cos(Y/7)':cb='128+50*sin(X/3+Y/5)':cr='128+50*cos(X/4-Y/6)',\
            setparams=\(kind.colors),zscale=c=\(kind.location),format=\(kind.format)
            """
        return try FilterGraph.filtered(blank.tagged(blank.color), by: chain)
    }

    private func prepared(_ kind: DisplayPixelsTests.Kind) throws -> (VideoFrame, FrameColor, DisplayPixels) {
        let frame = try frame(kind)
        let color = frame.color
        return (frame.tagged(color), color, try #require(DisplayPixels(frame, color)))
    }

    func codes(of kind: DisplayPixelsTests.Kind) throws -> ([UInt8], [UInt8]) {
        let (frame, _, pixels) = try prepared(kind)
        let expected = try FilterGraph.filtered(frame, by: "zscale=f=bicubic:m=gbr:r=full:d=none,format=gbrp")
        return (rgba(frame, pixels, [0..<frame.height]), Self.bytes(of: expected))
    }

    func light(of kind: DisplayPixelsTests.Kind, isPlain: Bool = false) throws -> ([Float], [Float]) {
        let (frame, color, pixels) = try prepared(kind)
        let curve = try LightCurve(color)
        let stride = frame.width * 8
        var seen = [UInt8](repeating: 0, count: stride * frame.height)
        unsafe seen.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return }
            unsafe pixels.writeLight(
                frame,
                curve,
                rows: 0..<frame.height,
                to: start,
                stride: stride,
                isPlain: isPlain
            )
        }
        let shape = LinearLight.Kind(frame, color, outputWidth: frame.width, outputHeight: frame.height)
        let expected = try LinearLight(shape, for: frame).linear(frame)
        var halves = [UInt8](repeating: 0, count: stride * frame.height)
        unsafe halves.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return }
            unsafe DisplayPixels.writeHalves(expected, to: start, stride: stride)
        }
        return (Self.floats(seen), Self.floats(halves))
    }

    func rows(of kind: DisplayPixelsTests.Kind) throws -> ([UInt8], [UInt8]) {
        let (frame, _, pixels) = try prepared(kind)
        return (rgba(frame, pixels, [0..<frame.height]), rgba(frame, pixels, [30..<48, 0..<7, 7..<30]))
    }

    func processors(of kind: DisplayPixelsTests.Kind) throws -> ([UInt8], [UInt8]) {
        let (frame, _, pixels) = try prepared(kind)
        let all = [0..<frame.height]
        return (rgba(frame, pixels, all), rgba(frame, pixels, all, isPlain: true))
    }

    /// A frame of one colour, with more red than green.
    func plain(_ format: String, width: Int, height: Int) throws -> [UInt8] {
        let blank = VideoFrame.blank(width: width, height: height, pts: 0)
        let chain = "format=yuv444p,geq=lum=100:cb=110:cr=180,format=\(format)"
        let frame = try FilterGraph.filtered(blank.tagged(blank.color), by: chain)
        return rgba(frame, try #require(DisplayPixels(frame, frame.color)), [0..<height])
    }

    func isKnown(_ format: String) throws -> Bool {
        let blank = VideoFrame.blank(width: 64, height: 32, pts: 0)
        let frame = try FilterGraph.filtered(blank.tagged(blank.color), by: "format=\(format)")
        return DisplayPixels(frame, frame.color) != nil
    }

    private func rgba(
        _ frame: VideoFrame,
        _ pixels: DisplayPixels,
        _ parts: [Range<Int>],
        isPlain: Bool = false
    ) -> [UInt8] {
        let stride = frame.width * 4
        var bytes = [UInt8](repeating: 0, count: stride * frame.height)
        unsafe bytes.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return }
            for part in parts {
                unsafe pixels.writeRGBA(frame, rows: part, to: start, stride: stride, isPlain: isPlain)
            }
        }
        return bytes
    }

    /// The bytes of a `gbrp` frame as RGBA.
    private static func bytes(of frame: VideoFrame) -> [UInt8] {
        unsafe frame.withPointer { pointer in
            let planes = unsafe PlanePointers(pointer)
            var bytes: [UInt8] = []
            for row in 0..<frame.height {
                for column in 0..<frame.width {
                    for plane in [2, 0, 1] {
                        bytes.append(unsafe planes.starts[plane]?[row * Int(planes.strides[plane]) + column] ?? 0)
                    }
                    bytes.append(255)
                }
            }
            return bytes
        }
    }

    private static func floats(_ halves: [UInt8]) -> [Float] {
        stride(from: 0, to: halves.count, by: 2).map { place in
            Float(Float16(bitPattern: UInt16(halves[place]) | UInt16(halves[place + 1]) << 8))
        }
    }
}
