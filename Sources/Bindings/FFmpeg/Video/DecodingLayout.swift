// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg

/// The frame layout that a decoder requires: whole blocks, and the same strides as `avcodec_default_get_buffer2`,
/// because some decoders do not support strides that change between frames.
struct DecodingLayout: Hashable {
    struct Plane: Hashable {
        let offset: Int
        let stride: CInt
    }

    /// Bytes after each plane that decoders may access. libavcodec itself leaves fewer.
    private static let tail = 128
    private static let planeCount = 4

    let formatName: String
    /// Always four entries, as in libavutil.
    let planes: [Plane?]
    let byteCount: Int

    /// - Returns: `nil` if the frame has no pixels in this process's memory.
    init?(_ frame: UnsafePointer<AVFrame>, for context: UnsafeMutablePointer<AVCodecContext>) {
        let format = unsafe AVPixelFormat(rawValue: frame.pointee.format)
        guard let descriptor = unsafe av_pix_fmt_desc_get(format), let name = unsafe descriptor.pointee.name,
            unsafe descriptor.pointee.flags & UInt64(AV_PIX_FMT_FLAG_HWACCEL) == 0
        else { return nil }
        var (width, height) = unsafe (frame.pointee.width, frame.pointee.height)
        var alignments = [CInt](repeating: 1, count: Int(AV_NUM_DATA_POINTERS))
        unsafe avcodec_align_dimensions2(context, &width, &height, &alignments)
        guard let strides = Self.strides(format, width, alignments) else { return nil }
        var sizes = [Int](repeating: 0, count: Self.planeCount)
        guard unsafe av_image_fill_plane_sizes(&sizes, format, height, strides.map { Int($0) }) >= 0 else { return nil }
        var planes: [Plane?] = []
        var offset = 0
        for (size, stride) in zip(sizes, strides) {
            planes.append(size > 0 ? Plane(offset: offset, stride: stride) : nil)
            if size > 0 { offset = PlaneLayout.aligned(offset + size + Self.tail) }
        }
        formatName = unsafe String(cString: name)
        self.planes = planes
        byteCount = offset
    }

    /// Widens all strides together, because some decoders rely on the ratio between them.
    private static func strides(_ format: AVPixelFormat, _ width: CInt, _ alignments: [CInt]) -> [CInt]? {
        var width = width
        var strides = [CInt](repeating: 0, count: planeCount)
        while true {
            guard width > 0, unsafe av_image_fill_linesizes(&strides, format, width) >= 0 else { return nil }
            if zip(strides, alignments).allSatisfy({ $0 % max(1, $1) == 0 }) { return strides }
            width &+= width & (~width &+ 1)
        }
    }

    func need(of context: UnsafePointer<AVCodecContext>) -> FrameNeed {
        let (width, height) = unsafe (Int(context.pointee.width), Int(context.pointee.height))
        return FrameNeed(formatName: formatName, width: width, height: height, byteCount: byteCount)
    }
}
