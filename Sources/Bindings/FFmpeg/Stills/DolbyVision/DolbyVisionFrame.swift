// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg
internal import EngineModel

/// Applies `DolbyVisionComposer` to whole frames.
enum DolbyVisionFrame {
    /// Plane alignment for filters that access 64 bytes at once. libavutil's default is smaller for some planes.
    private static let alignment: CInt = 64

    /// - Parameter codes: must have the format `yuv444p12le`.
    /// - Returns: linear light in `gbrpf32le`, in units of `DolbyVisionComposer.unit`, with primaries of BT.2020. `nil`
    ///   if `mapping` cannot be applied.
    static func light(of codes: VideoFrame, _ mapping: DolbyVisionMapping) throws(FFmpegError) -> VideoFrame? {
        guard let composer = DolbyVisionComposer(mapping) else { return nil }
        let frame = unsafe allocated(av_frame_alloc(), by: "av_frame_alloc")
        let result = unsafe VideoFrame(taking: frame)
        unsafe frame.pointee.format = AV_PIX_FMT_GBRPF32LE.rawValue
        unsafe frame.pointee.width = CInt(codes.width)
        unsafe frame.pointee.height = CInt(codes.height)
        unsafe frame.pointee.color_primaries = AVCOL_PRI_BT2020
        unsafe frame.pointee.color_trc = AVCOL_TRC_LINEAR
        unsafe frame.pointee.colorspace = AVCOL_SPC_RGB
        unsafe frame.pointee.color_range = AVCOL_RANGE_JPEG
        unsafe frame.pointee.pts = 0
        try check(unsafe av_frame_get_buffer(frame, Self.alignment), "av_frame_get_buffer")
        unsafe codes.withPointer { source in
            for row in 0..<codes.height { unsafe compose(row, of: source, into: frame, composer) }
        }
        return result
    }

    private static func compose(
        _ row: Int,
        of source: UnsafePointer<AVFrame>,
        into target: UnsafeMutablePointer<AVFrame>,
        _ composer: DolbyVisionComposer
    ) {
        let count = unsafe Int(source.pointee.width)
        let (from, strides) = unsafe (source.pointee.data, source.pointee.linesize)
        let (to, steps) = unsafe (target.pointee.data, target.pointee.linesize)
        let luma = unsafe line(from.0, row, strides.0, count, of: UInt16.self)
        let blueChroma = unsafe line(from.1, row, strides.1, count, of: UInt16.self)
        let redChroma = unsafe line(from.2, row, strides.2, count, of: UInt16.self)
        let green = unsafe line(to.0, row, steps.0, count, of: Float.self)
        let blue = unsafe line(to.1, row, steps.1, count, of: Float.self)
        let red = unsafe line(to.2, row, steps.2, count, of: Float.self)
        var redSpan = unsafe red.mutableSpan
        var greenSpan = unsafe green.mutableSpan
        var blueSpan = unsafe blue.mutableSpan
        composer.compose(
            unsafe UnsafeBufferPointer(luma).span,
            unsafe UnsafeBufferPointer(blueChroma).span,
            unsafe UnsafeBufferPointer(redChroma).span,
            red: &redSpan,
            green: &greenSpan,
            blue: &blueSpan
        )
    }

    /// One row of a plane. Row addresses are aligned for every sample type (`av_frame_get_buffer`).
    private static func line<Sample>(
        _ plane: UnsafeMutablePointer<UInt8>?,
        _ row: Int,
        _ stride: CInt,
        _ count: Int,
        of type: Sample.Type
    ) -> UnsafeMutableBufferPointer<Sample> {
        guard let plane = unsafe plane else { return unsafe UnsafeMutableBufferPointer(start: nil, count: 0) }
        let start = unsafe UnsafeMutableRawPointer(plane + row * Int(stride)).assumingMemoryBound(to: type)
        return unsafe UnsafeMutableBufferPointer(start: start, count: count)
    }
}

extension DolbyVisionMapping {
    /// The peak luminance of the mastering display, in units of `ToneMapping.unit`. `nil` if the metadata does not
    /// declare it.
    var peak: Double? {
        guard sourceMaximumPQ > 0 else { return nil }
        let light = PerceptualQuantizer.light(Float(sourceMaximumPQ) / 4095)
        return Double(light * PerceptualQuantizer.peak) / Double(ToneMapping.unit)
    }
}
