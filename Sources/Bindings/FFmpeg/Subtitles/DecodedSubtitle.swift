// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg

/// The output of a subtitle decoder for one packet, as values.
package struct DecodedSubtitle: Sendable {
    package enum Part: Sendable {
        /// An ASS event in Matroska's form: `ReadOrder,Layer,Style,Name,MarginL,MarginR,MarginV,Effect,Text`.
        case event(String)
        case bitmap(SubtitleBitmap)
    }

    /// The start, relative to the packet's time, in milliseconds.
    package let startOffset: Int64
    /// The end, relative to the packet's time, in milliseconds; `nil` if it lasts until the next subtitle.
    package let endOffset: Int64?
    /// The packet's time in microseconds, as reported by the decoder; `nil` if there is none.
    package let time: Int64?
    package let parts: [Part]
    /// The canvas that bitmaps are positioned on, in pixels; 0 if the stream does not declare it.
    package let canvasWidth: Int
    package let canvasHeight: Int

    /// No codec has more parts.
    private static let partLimit = 1024
    private static let textLimit = 1 << 20

    init(_ subtitle: AVSubtitle, canvasWidth: Int, canvasHeight: Int) {
        startOffset = unsafe Int64(subtitle.start_display_time)
        let end = unsafe subtitle.end_display_time
        endOffset = end == 0 || end == .max ? nil : Int64(end)
        time = unsafe subtitle.pts.timestamp
        self.canvasWidth = canvasWidth
        self.canvasHeight = canvasHeight
        var parts: [Part] = []
        for index in 0..<min(unsafe Int(subtitle.num_rects), Self.partLimit) {
            guard let rect = unsafe subtitle.rects?[index]?.pointee else { continue }
            if let event = unsafe rect.ass {
                let bytes = unsafe UnsafeRawBufferPointer(start: event, count: strnlen(event, Self.textLimit))
                parts.append(.event(unsafe String(decoding: bytes, as: UTF8.self)))
            } else if let bitmap = unsafe SubtitleBitmap(rect) {
                parts.append(.bitmap(bitmap))
            }
        }
        self.parts = parts
    }
}

/// A palette-based bitmap, as output by the decoder.
package struct SubtitleBitmap: Sendable {
    /// The position on the canvas, in pixels.
    package let x: Int
    package let y: Int
    package let width: Int
    package let height: Int
    /// One byte per pixel, rows without padding.
    package let indices: [UInt8]
    /// 256 entries, 0xAARRGGBB, not premultiplied.
    package let palette: [UInt32]
    package let isForced: Bool

    /// No canvas is larger.
    private static let sideLimit = 16_384

    /// Returns `nil` for a rectangle without pixels, or with an invalid size.
    init?(_ rect: AVSubtitleRect) {
        let (width, height, stride) = unsafe (Int(rect.w), Int(rect.h), Int(rect.linesize.0))
        guard width > 0, height > 0, width <= Self.sideLimit, height <= Self.sideLimit, stride >= width,
            let rows = unsafe rect.data.0, let colors = unsafe rect.data.1
        else { return nil }
        x = unsafe Int(rect.x)
        y = unsafe Int(rect.y)
        self.width = width
        self.height = height
        var indices: [UInt8] = []
        indices.reserveCapacity(width * height)
        for row in 0..<height {
            unsafe indices.append(contentsOf: UnsafeBufferPointer(start: rows + row * stride, count: width))
        }
        self.indices = indices
        palette = unsafe colors.withMemoryRebound(to: UInt32.self, capacity: 256) {
            unsafe Array(UnsafeBufferPointer(start: $0, count: 256))
        }
        isForced = unsafe rect.flags & AV_SUBTITLE_FLAG_FORCED != 0
    }
}
