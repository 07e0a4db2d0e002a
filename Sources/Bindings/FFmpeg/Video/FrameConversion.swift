// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg
package import EngineModel

/// Converts decoded frames of any format to the input format of `VideoEncoder`: 8-bit 4:2:0 of one size in limited
/// range.
///
/// HDR is tone-mapped to BT.709 as in stills. Frames of the right format and size pass unchanged. Each frame is
/// converted by itself, so the result does not depend on earlier frames. Not thread-safe.
@safe package struct FrameConversion: ~Copyable {
    /// The target format of all frames of a video.
    package struct Target: Hashable, Sendable {
        package var width: Int
        package var height: Int
        /// The container's cropping, applied before scaling.
        package var cropping: Cropping
        /// The colours that the stream declares.
        package var declared: ColorDescription
        /// The peak luminance of HDR in units of 100 cd/m².
        package var peak: Double

        package init(
            width: Int,
            height: Int,
            cropping: Cropping,
            declared: ColorDescription,
            peak: Double
        ) {
            self.width = width
            self.height = height
            self.cropping = cropping
            self.declared = declared
            self.peak = peak
        }
    }

    /// The properties that a filter graph depends on.
    private struct Form: Hashable {
        let shape: FrameShape
        let color: FrameColor
    }

    private let target: Target
    private var graph: FrameFilterGraph?
    private var form: Form?

    package init(to target: Target) { self.target = target }

    package mutating func convert(_ frame: VideoFrame) throws(FFmpegError) -> VideoFrame {
        let color = frame.frameColor(target.declared)
        let shape = frame.shape
        let chain = Self.chain(of: frame, shape, color, to: target)
        guard !chain.isEmpty else { return frame }
        let tagged = frame.tagged(color)
        let form = Form(shape: shape, color: color)
        if form != self.form {
            graph = try FrameFilterGraph.make(chain.joined(separator: ","), for: tagged)
            self.form = form
        }
        guard let converted = try graph?.apply(tagged) else { return frame }
        return converted
    }

    private static func chain(
        of frame: VideoFrame,
        _ shape: FrameShape,
        _ color: FrameColor,
        to target: Target
    ) -> [String] {
        let crop = target.cropping
        let (width, height) = (shape.width - crop.left - crop.right, shape.height - crop.top - crop.bottom)
        var filters: [String] = []
        if !crop.isNone, width > 0, height > 0 {
            filters.append("crop=w=\(width):h=\(height):x=\(crop.left):y=\(crop.top):exact=1,copy")
        }
        switch color.light {
        case .standard:
            let isSized = width == target.width && height == target.height
            if isSized, shape.pixelFormat == VideoEncoder.pixelFormat, !color.isFullRange { return filters }
            filters.append(
                "scale=w=\(target.width):h=\(target.height):flags=bicubic+accurate_rnd+full_chroma_int+bitexact"
                    + ":out_range=tv\(shape.samples == .rgb ? ":out_color_matrix=bt709" : "")"
            )
            filters.append("format=\(VideoEncoder.pixelFormat)")
        case .perceptualQuantizer, .hybridLogGamma:
            if let whole = frame.formatOfWholeChroma(width: width, height: height) {
                filters.append("format=\(whole)")
            }
            let linear = ToneMapping.toLinear(isHybrid: color.light == .hybridLogGamma)
            filters.append("zscale=w=\(target.width):h=\(target.height):f=bicubic:\(linear)")
            filters.append(ToneMapping.toStandard(peak: target.peak, .video))
        }
        return filters
    }
}

extension FrameConversion {
    /// The properties of a video's frames, according to its first frame.
    package struct Source: Hashable, Sendable {
        package var width: Int
        package var height: Int
        /// `nil` if frames do not state it.
        package var sampleAspectRatio: Ratio?
        /// The colours after conversion.
        package var color: ColorDescription
        package var isHDR: Bool
        /// In units of 100 cd/m².
        package var peak: Double
    }

    /// - Parameter video: the properties of the frame's stream.
    package static func source(of frame: VideoFrame, _ video: VideoProperties) -> Source {
        let (shape, color) = (frame.shape, frame.frameColor(video.color))
        let isHDR = color.light != .standard
        let converted =
            isHDR || shape.samples == .rgb
            ? ColorDescription(primaries: isHDR ? 1 : color.primaries, transfer: isHDR ? 1 : color.transfer, matrix: 1)
            : ColorDescription(primaries: color.primaries, transfer: color.transfer, matrix: color.matrix)
        return Source(
            width: shape.width,
            height: shape.height,
            sampleAspectRatio: shape.declaresAspect ? shape.aspect : nil,
            color: converted,
            isHDR: isHDR,
            peak: frame.peak(video) ?? ToneMapping.commonPeak
        )
    }
}
