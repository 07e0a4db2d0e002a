// SPDX-License-Identifier: Apache-2.0

internal import EngineRuntime

/// The conversion of one frame into shared memory, row by row. Several threads can take rows of the same frame, and the
/// result does not depend on how they share them.
///
/// Thread-safety: safe, as long as no two threads convert the same row at once.
package struct RowConversion: Sendable {
    private let frame: VideoFrame
    private let pixels: DisplayPixels
    /// `nil` for 8-bit R'G'B'.
    private let curve: LightCurve?
    private let layout: PlaneLayout
    private let memory: SharedMemory
    private let offset: Int

    /// - Precondition: the layout has one plane of the frame's size, and fits into `memory` at `offset`.
    init(
        _ frame: VideoFrame,
        _ pixels: DisplayPixels,
        _ curve: LightCurve?,
        _ layout: PlaneLayout,
        _ memory: SharedMemory,
        _ offset: Int
    ) {
        self.frame = frame
        self.pixels = pixels
        self.curve = curve
        self.layout = layout
        self.memory = memory
        self.offset = offset
    }

    /// The rows of the frame in `count` parts of about the same size.
    package func parts(_ count: Int) -> [Range<Int>] {
        (0..<count).map { layout.height * $0 / count..<layout.height * ($0 + 1) / count }.filter { !$0.isEmpty }
    }

    package var pixelCount: Int { layout.width * layout.height }

    /// Converts and writes these rows.
    package func run(_ rows: Range<Int>) {
        assertMayBlock("cpixels_rgba")
        let plane = layout.planes[0]
        let start = unsafe memory.address(of: offset + plane.offset, count: plane.stride * plane.rows)
        if let curve {
            unsafe pixels.writeLight(frame, curve, rows: rows, to: start, stride: plane.stride)
        } else {
            unsafe pixels.writeRGBA(frame, rows: rows, to: start, stride: plane.stride)
        }
    }
}
