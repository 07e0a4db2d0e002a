// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg
package import EngineModel
package import EngineRuntime

/// Writes decoded frames to shared memory, unchanged or converted.
@safe package struct PixelWriter: ~Copyable {
    /// The luminance of 1.0 in the linear light of `FrameFormat.rgbaHalf`, in cd/m² (ITU-R BT.2408).
    static let white = 203

    private let format: FrameFormat
    private let largestWidth: Int
    private let largestHeight: Int
    private let byteLimit: Int
    /// Kept between frames, and recreated when their properties change (`sws_getCachedContext`).
    private var scaler: OpaquePointer?
    private var light: LinearLight?
    private var curve: LightCurve?

    /// - Parameter byteLimit: larger frames are scaled down, except with `FrameFormat.source`.
    package init(_ format: FrameFormat, largestWidth: Int, largestHeight: Int, byteLimit: Int) {
        self.format = format
        self.largestWidth = largestWidth
        self.largestHeight = largestHeight
        self.byteLimit = byteLimit
    }

    deinit { unsafe sws_freeContext(scaler) }

    /// The layout that `frame` will have. `nil` if the frame cannot be written, e.g. with `FrameFormat.source` if it
    /// has no pixels in memory or exceeds the limit.
    package func layout(of frame: VideoFrame) -> PlaneLayout? {
        guard format != .source else {
            let layout = PlaneLayout(frame.format, width: frame.width, height: frame.height)
            guard let layout, layout.byteCount <= byteLimit else { return nil }
            return layout
        }
        return layout(ofSource: frame.width, frame.height)
    }

    /// The layout that a frame of this size will have. The pixel format of `FrameFormat.source` is not known here;
    /// 8-bit 4:2:0 is assumed.
    package func layout(ofSource width: Int, _ height: Int) -> PlaneLayout? {
        guard width > 0, height > 0 else { return nil }
        var scale = min(1, Double(largestWidth) / Double(width), Double(largestHeight) / Double(height))
        for _ in 0..<4 {
            let layout = layout(max(1, Int(Double(width) * scale)), max(1, Int(Double(height) * scale)))
            guard let layout, layout.byteCount > byteLimit else { return layout }
            scale *= (Double(byteLimit) / Double(layout.byteCount)).squareRoot() * 0.99
        }
        return nil
    }

    private func layout(_ width: Int, _ height: Int) -> PlaneLayout? {
        switch format {
        case .rgbaHalf: PlaneLayout(halfOf: width, height)
        case .nv12: PlaneLayout(AV_PIX_FMT_NV12, width: width, height: height)
        case .p010: PlaneLayout(AV_PIX_FMT_P010LE, width: width, height: height)
        case .i420, .source: PlaneLayout(AV_PIX_FMT_YUV420P, width: width, height: height)
        case .rgba8: PlaneLayout(AV_PIX_FMT_RGBA, width: width, height: height)
        }
    }

    /// Writes `frame` at `offset` in the given layout, or returns a conversion that writes it row by row.
    ///
    /// - Returns: the properties of the frame as written. If `rows` is not `nil`, the frame is not written yet: the
    ///   caller must run all rows before the frame is read.
    package mutating func write(
        _ frame: VideoFrame,
        as layout: PlaneLayout,
        to memory: SharedMemory,
        at offset: Int
    ) throws(FFmpegError) -> (facts: FrameFacts, rows: RowConversion?) {
        assertMayBlock("sws_scale")
        var facts = frame.facts
        let planes = unsafe PlanePointers(layout, in: memory, at: offset)
        let color = frame.frameColor(ColorDescription())
        let isSameSize = layout.width == frame.width && layout.height == frame.height
        var pixels: DisplayPixels? { isSameSize ? DisplayPixels(frame, color) : nil }
        var rows: RowConversion?
        switch format {
        case .source: unsafe Self.copy(frame, to: planes, layout)
        case .rgbaHalf:
            facts.color = ColorDescription(primaries: 12, transfer: 8, matrix: 0, isFullRange: true)
            facts.chromaLocation = 0
            if let pixels {
                let known = if let curve, curve.isFor(color) { curve } else { try LightCurve(color) }
                curve = known
                rows = RowConversion(frame, pixels, known, layout, memory, offset)
            } else {
                try unsafe writeLight(frame, layout, planes)
            }
        case .rgba8:
            (facts.color.matrix, facts.color.isFullRange, facts.chromaLocation) = (FrameColor.identity, true, 0)
            if let pixels {
                rows = RowConversion(frame, pixels, nil, layout, memory, offset)
            } else {
                try unsafe convert(frame, layout, planes, &facts)
            }
        case .nv12, .p010, .i420: try unsafe convert(frame, layout, planes, &facts)
        }
        return (facts, rows)
    }

    private static func copy(_ frame: VideoFrame, to planes: PlanePointers, _ layout: PlaneLayout) {
        unsafe frame.withPointer { pointer in
            let sources = unsafe PlanePointers(pointer)
            for (index, plane) in layout.planes.enumerated() {
                // A palette has a single row and no stride.
                let stride = unsafe plane.rows == 1 ? CInt(plane.stride) : sources.strides[index]
                unsafe av_image_copy_plane(
                    planes.starts[index],
                    CInt(plane.stride),
                    sources.starts[index],
                    stride,
                    CInt(plane.rowBytes),
                    CInt(plane.rows)
                )
            }
        }
    }

    /// Converts pixel format, bit depth or size, but neither primaries nor transfer. If the target is Y'CbCr, R'G'B'
    /// becomes BT.709 in limited range.
    private mutating func convert(
        _ frame: VideoFrame,
        _ layout: PlaneLayout,
        _ planes: PlanePointers,
        _ facts: inout FrameFacts
    ) throws(FFmpegError) {
        let target = unsafe av_get_pix_fmt(layout.formatName)
        if target == frame.format, layout.width == frame.width, layout.height == frame.height {
            unsafe Self.copy(frame, to: planes, layout)
            return
        }
        let source = frame.frameColor(ColorDescription())
        if format != .rgba8, frame.hasRGBCodes {
            facts.color.matrix = FrameColor.bt709
            facts.color.isFullRange = false
            facts.chromaLocation = Int(AVCHROMA_LOC_LEFT.rawValue)
        }
        let kernel = SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT
        unsafe scaler = sws_getCachedContext(
            scaler,
            CInt(frame.width),
            CInt(frame.height),
            frame.format,
            CInt(layout.width),
            CInt(layout.height),
            target,
            kernel,
            nil,
            nil,
            nil
        )
        guard unsafe scaler != nil else { throw FFmpegError(cffmpeg_averror(EINVAL), in: "sws_getCachedContext") }
        let matrix = frame.hasRGBCodes ? FrameColor.bt709 : source.matrix
        unsafe sws_setColorspaceDetails(
            scaler,
            sws_getCoefficients(CInt(matrix)),
            source.isFullRange ? 1 : 0,
            sws_getCoefficients(CInt(matrix)),
            facts.color.isFullRange ? 1 : 0,
            0,
            1 << 16,
            1 << 16
        )
        let status = unsafe frame.withPointer { pointer in
            let sources = unsafe PlanePointers(pointer)
            var inputs = unsafe sources.starts.map { unsafe UnsafePointer($0) }
            var outputs = unsafe planes.starts
            return unsafe sws_scale(
                scaler,
                &inputs,
                sources.strides,
                0,
                CInt(frame.height),
                &outputs,
                planes.strides
            )
        }
        try check(status, "sws_scale")
    }

    private mutating func writeLight(
        _ frame: VideoFrame,
        _ layout: PlaneLayout,
        _ planes: PlanePointers
    ) throws(FFmpegError) {
        let color = frame.frameColor(ColorDescription())
        let kind = LinearLight.Kind(frame, color, outputWidth: layout.width, outputHeight: layout.height)
        let tagged = frame.tagged(color)
        let graph =
            if let light, light.kind == kind { light } else { try LinearLight(kind, for: tagged) }
        light = graph
        let linear = try graph.linear(tagged)
        guard let start = unsafe planes.starts[0] else { return }
        unsafe DisplayPixels.writeHalves(linear, to: start, stride: layout.planes[0].stride)
    }
}
