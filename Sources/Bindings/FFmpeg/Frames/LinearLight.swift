// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg

/// Converts frames to linear light in Display P3 primaries with libavfilter's `zscale`.
final class LinearLight {
    /// The properties that a graph is built for.
    struct Kind: Hashable {
        let width: Int
        let height: Int
        let format: CInt
        let color: PictureColor
        let outputWidth: Int
        let outputHeight: Int
    }

    let kind: Kind
    private var graph: FilterGraph

    init(_ kind: Kind, for frame: VideoFrame) throws(FFmpegError) {
        self.kind = kind
        let chain =
            "zscale=w=\(kind.outputWidth):h=\(kind.outputHeight):f=bicubic:m=gbr:r=full:t=linear:p=smpte432:"
            + "npl=\(PictureWriter.white),format=gbrpf32le"
        graph = try unsafe frame.withPointer { (pointer) throws(FFmpegError) in
            try unsafe FilterGraph.make(chain, for: pointer)
        }
    }

    /// - Parameter frame: must match `kind`, and be tagged with its colours.
    func linear(_ frame: VideoFrame) throws(FFmpegError) -> VideoFrame {
        try unsafe frame.withPointer { (pointer) throws(FFmpegError) in try unsafe graph.push(pointer) }
        return unsafe VideoFrame(taking: try graph.pull())
    }

    /// Converts planes of floats (green, blue, red) to rows of four half-precision floats per pixel. Every pixel is
    /// opaque.
    ///
    /// - Precondition: the format is `gbrpf32le`, and `target` has room for all rows.
    @unsafe static func writeHalves(
        of frame: VideoFrame,
        to target: UnsafeMutablePointer<UInt8>,
        stride: Int
    ) {
        unsafe frame.withPointer { pointer in
            let planes = unsafe PlanePointers(pointer)
            guard let green = unsafe planes.starts[0], let blue = unsafe planes.starts[1],
                let red = unsafe planes.starts[2]
            else { return }
            for row in 0..<frame.height {
                func line(_ start: UnsafeMutablePointer<UInt8>, _ plane: Int) -> UnsafePointer<Float> {
                    let place = unsafe start + row * Int(planes.strides[plane])
                    return unsafe UnsafeRawPointer(place).assumingMemoryBound(to: Float.self)
                }
                let (reds, greens, blues) = unsafe (line(red, 2), line(green, 0), line(blue, 1))
                let output = unsafe UnsafeMutableRawPointer(target + row * stride)
                    .assumingMemoryBound(to: SIMD4<Float16>.self)
                for column in 0..<frame.width {
                    let pixel = unsafe SIMD4<Float>(reds[column], greens[column], blues[column], 1)
                    unsafe output[column] = SIMD4<Float16>(pixel)
                }
            }
        }
    }
}
