// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg
internal import CPixels

/// Converts frames of planar Y'CbCr to pixels for displays, without scaling (`CPixels`).
///
/// Chroma is interpolated with a Catmull-Rom kernel, `zscale`'s bicubic, at the frame's chroma location. Rows are
/// independent of each other, so several threads can convert one frame.
struct DisplayPixels: Sendable {
    /// Matrices of ITU-T H.273 that libswscale knows and that are linear.
    private static let matrices: Set = [1, 4, 5, 6, 7, 9]
    private static let hasAVX2 = av_get_cpu_flags() & avx2 == avx2
    private static let avx2 = AV_CPU_FLAG_AVX2 | AV_CPU_FLAG_FMA3

    private let isWide: Bool
    private let columns: (cpixels_phase, cpixels_phase)?
    private let rows: (cpixels_phase, cpixels_phase)?
    private let factors: Factors

    /// The coefficients that convert sample values to R'G'B' from 0 to 1.
    private struct Factors {
        let luma: Float
        let redCr: Float
        let greenCb: Float
        let greenCr: Float
        let blueCb: Float
        let offsets: (Float, Float, Float)

        init(_ color: FrameColor, depth: Int) {
            let unit = Double(1 << (depth - 8))
            let full = Double(1 << depth - 1)
            let (lumaRange, lumaZero) = color.isFullRange ? (full, 0) : (219 * unit, 16 * unit)
            let (chromaRange, chromaZero) = (color.isFullRange ? full : 224 * unit, 128 * unit)
            // Coefficients with 16 fractional bits, for limited-range chroma.
            let table = unsafe sws_getCoefficients(CInt(color.matrix))
            func factor(_ index: Int) -> Double {
                Double(unsafe table?[index] ?? 0) / 65_536 * 224 / 255 / chromaRange
            }
            let (red, blue, greenBlue, greenRed) = (factor(0), factor(1), -factor(2), -factor(3))
            luma = Float(1 / lumaRange)
            (redCr, greenCb, greenCr, blueCb) = (Float(red), Float(greenBlue), Float(greenRed), Float(blue))
            let dark = -lumaZero / lumaRange
            offsets = (
                Float(dark - chromaZero * red), Float(dark - chromaZero * (greenBlue + greenRed)),
                Float(dark - chromaZero * blue)
            )
        }
    }

    /// - Returns: `nil` for frames that libswscale or zimg has to convert.
    init?(_ frame: VideoFrame, _ color: FrameColor) {
        guard Self.matrices.contains(color.matrix), let descriptor = unsafe av_pix_fmt_desc_get(frame.format)?.pointee
        else { return nil }
        let others =
            AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_BE | AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BITSTREAM
            | AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_ALPHA | AV_PIX_FMT_FLAG_FLOAT
        let depth = unsafe Int(descriptor.comp.0.depth)
        let parts = unsafe [descriptor.comp.0, descriptor.comp.1, descriptor.comp.2]
        guard unsafe descriptor.nb_components == 3, unsafe descriptor.flags & UInt64(others) == 0, depth >= 8,
            unsafe descriptor.log2_chroma_w <= 1, unsafe descriptor.log2_chroma_h <= 1,
            parts.enumerated().allSatisfy({ index, part in
                part.plane == index && part.offset == 0 && part.shift == 0 && part.depth == depth
                    && part.step == (depth > 8 ? 2 : 1)
            })
        else { return nil }
        isWide = depth > 8
        let location = unsafe frame.withPointer { unsafe $0.pointee.chroma_location }
        columns =
            unsafe descriptor.log2_chroma_w == 1 ? Self.phases(chromaAt: Self.column(of: location)) : nil
        rows = unsafe descriptor.log2_chroma_h == 1 ? Self.phases(chromaAt: Self.row(of: location)) : nil
        factors = Factors(color, depth: depth)
    }

    /// The position of the chroma sample that two columns share, in columns from the even one. An unspecified location
    /// counts as left.
    private static func column(of location: AVChromaLocation) -> Double {
        [AVCHROMA_LOC_CENTER, AVCHROMA_LOC_TOP, AVCHROMA_LOC_BOTTOM].contains(location) ? 0.5 : 0
    }

    private static func row(of location: AVChromaLocation) -> Double {
        switch location {
        case AVCHROMA_LOC_TOPLEFT, AVCHROMA_LOC_TOP: 0
        case AVCHROMA_LOC_BOTTOMLEFT, AVCHROMA_LOC_BOTTOM: 1
        default: 0.5
        }
    }

    private static func phases(chromaAt place: Double) -> (cpixels_phase, cpixels_phase) {
        (phase(at: -place / 2), phase(at: (1 - place) / 2))
    }

    /// The weights of the four chroma samples around a pixel. `place` is the pixel's position, in chroma samples from
    /// the sample that it shares with its neighbour.
    private static func phase(at place: Double) -> cpixels_phase {
        let base = place.rounded(.down)
        let t = place - base
        let weights = [
            ((-0.5 * t + 1) * t - 0.5) * t, (1.5 * t - 2.5) * t * t + 1, ((-1.5 * t + 2) * t + 0.5) * t,
            (0.5 * t - 0.5) * t * t,
        ].map { Float($0) }
        return cpixels_phase(first: CInt(base) - 1, taps: (weights[0], weights[1], weights[2], weights[3]))
    }

    /// Writes rows as 8-bit RGBA (R'G'B'), fully opaque.
    ///
    /// - Parameters:
    ///   - target: the start of the frame's first row (row 0), with room for all rows.
    ///   - isPlain: whether to use the portable code on every processor, for tests.
    @unsafe func writeRGBA(
        _ frame: VideoFrame,
        rows: Range<Int>,
        to target: UnsafeMutablePointer<UInt8>,
        stride: Int,
        isPlain: Bool = false
    ) {
        unsafe convert(frame, rows) { picture, first, end, room in
            unsafe cpixels_rgba(picture, first, end, target, stride, room, Self.hasAVX2 && !isPlain)
        }
    }

    /// Writes rows as half-precision RGBA in linear light, fully opaque.
    ///
    /// - Parameters:
    ///   - target: the start of the frame's first row (row 0), with room for all rows.
    ///   - isPlain: whether to use the portable code on every processor, for tests.
    @unsafe func writeLight(
        _ frame: VideoFrame,
        _ curve: LightCurve,
        rows: Range<Int>,
        to target: UnsafeMutablePointer<UInt8>,
        stride: Int,
        isPlain: Bool = false
    ) {
        unsafe curve.withLight { light in
            unsafe convert(frame, rows) { picture, first, end, room in
                unsafe cpixels_light_rows(
                    picture,
                    light,
                    first,
                    end,
                    target,
                    stride,
                    room,
                    Self.hasAVX2 && !isPlain
                )
            }
        }
    }

    /// Writes planes of floats (green, blue, red) as half-precision RGBA, fully opaque.
    ///
    /// - Precondition: the format is `gbrpf32le`, and `target` has room for all rows.
    @unsafe static func writeHalves(
        _ frame: VideoFrame,
        to target: UnsafeMutablePointer<UInt8>,
        stride: Int
    ) {
        unsafe frame.withPointer { pointer in
            func plane(_ start: UnsafeMutablePointer<UInt8>?) -> UnsafePointer<Float>? {
                unsafe UnsafeRawPointer(start).map { unsafe $0.assumingMemoryBound(to: Float.self) }
            }
            let (data, sizes) = unsafe (pointer.pointee.data, pointer.pointee.linesize)
            var planes = unsafe [plane(data.2), plane(data.0), plane(data.1)]
            var strides = [Int(sizes.2), Int(sizes.0), Int(sizes.1)]
            unsafe cpixels_halves(
                &planes,
                &strides,
                CInt(frame.width),
                CInt(frame.height),
                target,
                stride,
                Self.hasAVX2
            )
        }
    }

    private func convert(
        _ frame: VideoFrame,
        _ rows: Range<Int>,
        _ body: (UnsafePointer<cpixels_picture>, CInt, CInt, UnsafeMutablePointer<Float>) -> Void
    ) {
        let none = cpixels_phase()
        unsafe frame.withPointer { pointer in
            let (data, sizes) = unsafe (pointer.pointee.data, pointer.pointee.linesize)
            var picture = unsafe cpixels_picture(
                planes: (UnsafePointer(data.0), UnsafePointer(data.1), UnsafePointer(data.2)),
                strides: (Int(sizes.0), Int(sizes.1), Int(sizes.2)),
                width: CInt(frame.width),
                height: CInt(frame.height),
                is_wide: isWide,
                has_half_columns: columns != nil,
                has_half_rows: self.rows != nil,
                columns: columns ?? (none, none),
                rows: self.rows ?? (none, none),
                luma: factors.luma,
                red_cr: factors.redCr,
                green_cb: factors.greenCb,
                green_cr: factors.greenCr,
                blue_cb: factors.blueCb,
                offsets: factors.offsets
            )
            unsafe withUnsafeTemporaryAllocation(of: Float.self, capacity: cpixels_room(CInt(frame.width))) { room in
                guard let start = room.baseAddress else { return }
                unsafe start.initialize(repeating: 0, count: room.count)
                unsafe body(&picture, CInt(rows.lowerBound), CInt(rows.upperBound), start)
            }
        }
    }
}
