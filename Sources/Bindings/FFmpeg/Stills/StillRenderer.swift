// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Makes a decoded frame displayable: fields, crop, size, rotation and colour.
///
/// The result depends only on the arguments. An SDR frame becomes BT.709 R'G'B'. A frame in PQ or HLG is tone-mapped to
/// that, or kept. A frame in Dolby Vision's own colours is first composed with its metadata. Scaling precedes colour
/// conversion, so that the cost depends on the size of the still.
package enum StillRenderer {
    /// Renders one frame upright, with square pixels, within the size limits: full-range R'G'B' planes, tagged with
    /// their colours. They have 8 bits, or 16 if the style preserves HDR and the frame is HDR.
    ///
    /// - Parameters:
    ///   - video: the properties of its stream.
    ///   - style: the size limits, and whether HDR is preserved.
    ///   - mapping: the Dolby Vision metadata of this frame, if the decoder did not attach it.
    package static func render(
        _ frame: VideoFrame,
        of video: VideoProperties,
        style: StillStyle,
        mapping: DolbyVisionMapping? = nil
    ) throws(StillError) -> VideoFrame {
        try render(frame, of: video, style, mapping, StillGraphs()) { _ in .rgb }
    }

    /// Renders into the planes that `StillEncoder` codes: Y'CbCr for an SDR JPEG, otherwise R'G'B'.
    ///
    /// - Parameter graphs: the graphs kept from earlier stills of the same source.
    package static func renderToCode(
        _ frame: VideoFrame,
        of video: VideoProperties,
        style: StillStyle,
        mapping: DolbyVisionMapping? = nil,
        graphs: StillGraphs = StillGraphs()
    ) throws(StillError) -> VideoFrame {
        try render(frame, of: video, style, mapping, graphs) { layout in
            guard style.format == .jpeg, style.range == .standard else { return .rgb }
            let isHalved = frame.hasHalvedChroma && layout.keepsSize(width: frame.width, height: frame.height)
            return StillPlanes(
                quality: style.quality,
                width: layout.scaledWidth,
                height: layout.scaledHeight,
                isHalved: isHalved
            )
        }
    }

    private static func render(
        _ frame: VideoFrame,
        of video: VideoProperties,
        _ style: StillStyle,
        _ mapping: DolbyVisionMapping?,
        _ graphs: StillGraphs,
        to choose: (StillLayout) -> StillPlanes
    ) throws(StillError) -> VideoFrame {
        let layout = StillLayout(width: frame.width, height: frame.height, video: video, style: style)
        let planes = choose(layout)
        let filters = StillFilters(frame, layout)
        let keeps = style.range == .keep
        guard video.hasOwnDolbyVisionColors else {
            let color = frame.frameColor(video.color)
            let peak = frame.peak(video) ?? ToneMapping.commonPeak
            let chain = filters.chain(from: color, peak: peak, keeps: keeps, to: planes)
            let kept = filters.areImmediate ? graphs : nil
            return try result(of: frame.tagged(color), chain, kept).tagged(color.ofStill(keeps: keeps, in: planes))
        }
        guard let mapping = mapping ?? DolbyVisionMapping(of: frame) else { throw .noDolbyVisionMetadata }
        let codes = try result(of: frame.tagged(.codes), filters.toCodes)
        let light = try light(of: codes, mapping)
        let peak = frame.peak(video) ?? mapping.peak ?? ToneMapping.commonPeak
        let chain = keeps ? ToneMapping.toPQ : ToneMapping.toStandard(peak: peak, planes)
        return try result(of: light, chain).tagged(FrameColor.composed.ofStill(keeps: keeps, in: planes))
    }

    private static func light(of codes: VideoFrame, _ mapping: DolbyVisionMapping) throws(StillError) -> VideoFrame {
        do throws(FFmpegError) {
            if let light = try DolbyVisionFrame.light(of: codes, mapping) { return light }
        } catch {
            throw .library(error)
        }
        throw .noDolbyVisionMetadata
    }

    private static func result(
        of frame: VideoFrame,
        _ chain: String,
        _ graphs: StillGraphs? = nil
    ) throws(StillError) -> VideoFrame {
        do throws(FFmpegError) {
            if let graphs { return try graphs.filtered(frame, by: chain) }
            return try FilterGraph.filtered(frame, by: chain)
        } catch {
            throw .library(error)
        }
    }
}

extension VideoProperties {
    /// Whether frames use Dolby Vision's own colours, which need its metadata to be displayed: profile 5, and profile
    /// 10 without a compatible base layer.
    package var hasOwnDolbyVisionColors: Bool {
        switch dolbyVision?.format ?? sourceVideoFormat {
        case .dolbyVision(profile: 5, _), .dolbyVision(profile: 10, compatibility: 0): true
        default: false
        }
    }
}
