// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg
internal import CPixels

/// Converts R'G'B' codes of one colour space to linear light with Display P3 primaries, as `zscale` does.
///
/// The steps of the table are the same as in zimg's own table of the transfer function.
struct LightCurve: Sendable {
    let transfer: Int
    let primaries: Int
    private let table: [Float]
    /// To linear Display P3, row-major.
    private let matrix: [Float]

    private static let columns = 256
    private static let count = Int(CPIXELS_TABLE_COUNT)
    private static let linear = Int(AVCOL_TRC_LINEAR.rawValue)

    /// Measures the table and the matrix: converts a ramp of all codes and the three primaries with `zscale`.
    init(_ color: FrameColor) throws(FFmpegError) {
        (transfer, primaries) = (color.transfer, color.primaries)
        let rows = (Self.count + Self.columns - 1) / Self.columns
        let codes = (0..<rows * Self.columns).map { Float($0) / 32_768 - 0.5 }
        let curve = try Self.converted(
            [codes, codes, codes],
            width: Self.columns,
            "t=linear:npl=\(PixelWriter.white)",
            from: color
        )
        table = Array(curve[0].prefix(Self.count))
        guard color.primaries != Self.displayP3 else {
            matrix = [1, 0, 0, 0, 1, 0, 0, 0, 1]
            return
        }
        var light = color
        light.transfer = Self.linear
        // The first pixel is red, the second green, the third blue.
        let primaries = try Self.converted(
            [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
            width: 3,
            "p=smpte432",
            from: light
        )
        matrix = primaries.flatMap { $0.prefix(3) }
    }

    private static let displayP3 = Int(AVCOL_PRI_SMPTE432.rawValue)

    func isFor(_ color: FrameColor) -> Bool { transfer == color.transfer && primaries == color.primaries }

    /// Lends the table and the matrix to C.
    func withLight(_ body: (UnsafePointer<cpixels_light>) -> Void) {
        unsafe table.withUnsafeBufferPointer { entries in
            let m = matrix
            var light = unsafe cpixels_light(
                table: entries.baseAddress,
                matrix: (m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8])
            )
            unsafe body(&light)
        }
    }

    /// Converts planes of red, green and blue, whose rows are contiguous.
    private static func converted(
        _ planes: [[Float]],
        width: Int,
        _ options: String,
        from color: FrameColor
    ) throws(FFmpegError) -> [[Float]] {
        let height = planes[0].count / width
        let frame = unsafe allocated(av_frame_alloc(), by: "av_frame_alloc")
        let input = unsafe VideoFrame(taking: frame)
        unsafe frame.pointee.format = AV_PIX_FMT_GBRPF32LE.rawValue
        unsafe (frame.pointee.width, frame.pointee.height) = (CInt(width), CInt(height))
        unsafe frame.pointee.color_primaries = AVColorPrimaries(UInt32(color.primaries))
        unsafe frame.pointee.color_trc = AVColorTransferCharacteristic(UInt32(color.transfer))
        unsafe frame.pointee.colorspace = AVCOL_SPC_RGB
        unsafe frame.pointee.color_range = AVCOL_RANGE_JPEG
        unsafe frame.pointee.pts = 0
        try check(unsafe av_frame_get_buffer(frame, 64), "av_frame_get_buffer")
        for (place, plane) in zip(Self.places, planes) {
            for row in 0..<height {
                guard let line = unsafe Self.line(frame, place, row) else { continue }
                for column in 0..<width { unsafe line[column] = plane[row * width + column] }
            }
        }
        let output = try FilterGraph.filtered(input, by: "zscale=\(options):m=gbr:r=full,format=gbrpf32le")
        return unsafe output.withPointer { result in
            Self.places.map { place in
                (0..<height).flatMap { row -> [Float] in
                    guard let line = unsafe Self.line(result, place, row) else { return [] }
                    return unsafe Array(UnsafeBufferPointer(start: line, count: width))
                }
            }
        }
    }

    /// The indices of the red, green and blue planes in `gbrpf32le`.
    private static let places = [2, 0, 1]

    private static func line(_ frame: UnsafePointer<AVFrame>, _ place: Int, _ row: Int) -> UnsafeMutablePointer<Float>?
    {
        let planes = unsafe PlanePointers(frame)
        guard let start = unsafe planes.starts[place] else { return nil }
        return unsafe UnsafeMutableRawPointer(start + row * Int(planes.strides[place]))
            .assumingMemoryBound(to: Float.self)
    }
}
