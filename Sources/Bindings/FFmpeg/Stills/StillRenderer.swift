// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Turns a decoded picture into what is to be seen: fields, crop, size, rotation and colour.
///
/// The result depends on nothing but what is given. A picture of standard dynamic range becomes R'G'B' of BT.709 that is
/// shown as it is; one in PQ or HLG is mapped to that, or kept; one in Dolby Vision's own colours is first composed by its
/// metadata. It is made small before its colours are changed, so that the work follows the size of the still.
package enum StillRenderer {
    /// One picture, with square pixels, made small enough, upright: planes of R'G'B' in full range, with its colours
    /// written on it. They have 8 bits, or 16 where the style keeps high dynamic range and the picture has it.
    ///
    /// - Parameters:
    ///   - video: what is known of its stream.
    ///   - style: how large it may be, and what becomes of light.
    ///   - mapping: of this very picture, where it has Dolby Vision metadata that the decoder does not attach to it.
    package static func render(
        _ picture: VideoFrame,
        of video: VideoProperties,
        style: StillStyle,
        mapping: DolbyVisionMapping? = nil
    ) throws(StillError) -> VideoFrame {
        try render(picture, of: video, style, mapping) { _ in .rgb }
    }

    /// The same in the planes that `StillEncoder` codes without changing them once more.
    package static func renderToCode(
        _ picture: VideoFrame,
        of video: VideoProperties,
        style: StillStyle,
        mapping: DolbyVisionMapping? = nil
    ) throws(StillError) -> VideoFrame {
        try render(picture, of: video, style, mapping) { layout in
            guard style.format == .jpeg, style.range == .standard else { return .rgb }
            let isHalved = picture.hasHalvedChroma && layout.keepsSize(width: picture.width, height: picture.height)
            return StillPlanes(
                quality: style.quality,
                width: layout.scaledWidth,
                height: layout.scaledHeight,
                isHalved: isHalved
            )
        }
    }

    private static func render(
        _ picture: VideoFrame,
        of video: VideoProperties,
        _ style: StillStyle,
        _ mapping: DolbyVisionMapping?,
        to choose: (StillLayout) -> StillPlanes
    ) throws(StillError) -> VideoFrame {
        let layout = StillLayout(width: picture.width, height: picture.height, video: video, style: style)
        let planes = choose(layout)
        let filters = StillFilters(picture, layout)
        let keeps = style.range == .keep
        guard video.hasOwnDolbyVisionColors else {
            let color = picture.pictureColor(video.color)
            let peak = picture.peak(video) ?? LightMapping.commonPeak
            let chain = filters.chain(from: color, peak: peak, keeps: keeps, to: planes)
            return try result(of: picture.tagged(color), chain).tagged(color.ofStill(keeps: keeps, in: planes))
        }
        guard let mapping = mapping ?? DolbyVisionMapping(of: picture) else { throw .noDolbyVisionMetadata }
        let codes = try result(of: picture.tagged(.codes), filters.toCodes)
        let light = try DolbyVisionPicture.light(of: codes, mapping)
        let peak = picture.peak(video) ?? mapping.peak ?? LightMapping.commonPeak
        let chain = keeps ? LightMapping.toPQ : LightMapping.toStandard(peak: peak, planes)
        return try result(of: light, chain).tagged(PictureColor.composed.ofStill(keeps: keeps, in: planes))
    }

    private static func result(of picture: VideoFrame, _ chain: String) throws(StillError) -> VideoFrame {
        do throws(FFmpegError) {
            return try FilterGraph.filtered(picture, by: chain)
        } catch {
            throw .library(error)
        }
    }
}

extension VideoProperties {
    /// Whether the pictures are in Dolby Vision's own colours, which nothing else can show: profile 5, and profile 10 whose
    /// base layer is nothing by itself.
    package var hasOwnDolbyVisionColors: Bool {
        switch dolbyVision?.format ?? sourceVideoFormat {
        case .dolbyVision(profile: 5, _), .dolbyVision(profile: 10, compatibility: 0): true
        default: false
        }
    }
}
