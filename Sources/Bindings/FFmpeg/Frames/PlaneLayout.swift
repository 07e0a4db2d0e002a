// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg
package import EngineRuntime

/// The memory layout of a frame, as in `av_image_fill_linesizes` and `av_image_fill_plane_sizes`, except that rows
/// start at multiples of `alignment`.
package struct PlaneLayout: Hashable, Sendable {
    package struct Plane: Hashable, Sendable {
        /// From the start of the frame, in bytes.
        package let offset: Int
        /// From one row to the next, in bytes.
        package let stride: Int
        package let rows: Int
        /// Bytes of a row that hold pixels.
        package let rowBytes: Int
    }

    package static let alignment = 64
    /// FFmpeg's later name for four half-precision floats per pixel; the version in use does not have that format yet.
    static let halfName = "rgbaf16le"
    /// The size of a palette, in bytes.
    private static let paletteBytes = 1024

    package let width: Int
    package let height: Int
    /// FFmpeg's name of the pixel format.
    package let formatName: String
    package let planes: [Plane]
    package let byteCount: Int

    private init(width: Int, height: Int, formatName: String, sizes: [(rowBytes: Int, rows: Int)]) {
        self.width = width
        self.height = height
        self.formatName = formatName
        var planes: [Plane] = []
        var offset = 0
        for (rowBytes, rows) in sizes {
            let stride = Self.aligned(rowBytes)
            planes.append(Plane(offset: offset, stride: stride, rows: rows, rowBytes: rowBytes))
            offset += stride * rows
        }
        self.planes = planes
        byteCount = offset
    }

    /// Returns `nil` for formats that are not stored in memory, and for sizes that libavutil rejects.
    init?(_ format: AVPixelFormat, width: Int, height: Int) {
        guard let descriptor = unsafe av_pix_fmt_desc_get(format), let name = unsafe descriptor.pointee.name,
            unsafe descriptor.pointee.flags & UInt64(AV_PIX_FMT_FLAG_HWACCEL) == 0,
            width > 0, height > 0, av_image_check_size(UInt32(width), UInt32(height), 0, nil) == 0
        else { return nil }
        var sizes: [(rowBytes: Int, rows: Int)] = []
        let count = Int(av_pix_fmt_count_planes(format))
        let chromaRows = unsafe -((-height) >> Int(descriptor.pointee.log2_chroma_h))
        for plane in 0..<count {
            let rowBytes = Int(av_image_get_linesize(format, CInt(width), CInt(plane)))
            guard rowBytes > 0 else { return nil }
            sizes.append((rowBytes, plane == 1 || plane == 2 ? chromaRows : height))
        }
        if unsafe descriptor.pointee.flags & UInt64(AV_PIX_FMT_FLAG_PAL) != 0 { sizes.append((Self.paletteBytes, 1)) }
        self.init(width: width, height: height, formatName: unsafe String(cString: name), sizes: sizes)
    }

    /// The layout of `frame` within a region of `memory`, with offsets relative to the start of the region. `nil` if
    /// any part of the frame lies outside the region, or its rows are stored bottom-up.
    package init?(of frame: VideoFrame, in memory: SharedMemory, at start: Int, count: Int) {
        guard let tight = PlaneLayout(frame.format, width: frame.width, height: frame.height) else { return nil }
        var planes: [Plane] = []
        for (index, plane) in tight.planes.enumerated() {
            // A palette has a single row and no stride.
            let stride = plane.rows == 1 ? plane.stride : frame.stride(of: index)
            let byteCount = stride * (plane.rows - 1) + plane.rowBytes
            guard stride >= plane.rowBytes, let place = frame.place(of: index, count: byteCount, in: memory),
                place >= start, place - start <= count - byteCount
            else { return nil }
            planes.append(Plane(offset: place - start, stride: stride, rows: plane.rows, rowBytes: plane.rowBytes))
        }
        (width, height, formatName) = (tight.width, tight.height, tight.formatName)
        self.planes = planes
        byteCount = count
    }

    /// Enough bytes for most decoders at this size, with 8-bit 4:2:0: whole blocks, plus the padding that libavcodec
    /// requires. 0 if a side is not positive or above 32768.
    package static func decodedBytes(width: Int, height: Int) -> Int {
        guard width > 0, height > 0, width <= 1 << 15, height <= 1 << 15 else { return 0 }
        let (wide, high) = ((width + 143) / 128 * 128, (height + 79) / 64 * 64 + 16)
        return wide * high * 3 / 2 + 1024
    }

    /// Four half-precision floats per pixel.
    init(halfOf width: Int, _ height: Int) {
        self.init(width: width, height: height, formatName: Self.halfName, sizes: [(width * 8, height)])
    }

    static func aligned(_ count: Int) -> Int { (count + alignment - 1) / alignment * alignment }
}
