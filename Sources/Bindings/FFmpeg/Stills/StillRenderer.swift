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
    ///   - style: how large it may be, and what becomes of light. The coding is `StillEncoder`'s.
    ///   - mapping: of this very picture, where it has Dolby Vision metadata that the decoder does not attach to it.
    package static func render(
        _ picture: VideoFrame,
        of video: VideoProperties,
        style: StillStyle,
        mapping: DolbyVisionMapping? = nil
    ) throws(StillError) -> VideoFrame {
        let layout = StillLayout(width: picture.width, height: picture.height, video: video, style: style)
        let filters = StillFilters(layout, FieldFilter(picture, for: layout), width: picture.width)
        let keeps = style.range == .keep
        guard video.hasOwnDolbyVisionColors else {
            let color = picture.pictureColor(video.color)
            let peak = picture.peak(video) ?? LightMapping.commonPeak
            let chain = filters.chain(from: color, peak: peak, keeps: keeps)
            return try result(of: picture.tagged(color), chain).tagged(color.ofStill(keeps: keeps))
        }
        guard let mapping = mapping ?? DolbyVisionMapping(of: picture) else { throw .noDolbyVisionMetadata }
        let codes = try result(of: picture.tagged(.codes), filters.toCodes)
        let light = try DolbyVisionPicture.light(of: codes, mapping)
        let peak = picture.peak(video) ?? mapping.peak ?? LightMapping.commonPeak
        let chain = keeps ? LightMapping.toPQ : LightMapping.toStandard(peak: peak)
        return try result(of: light, chain).tagged(PictureColor.composed.ofStill(keeps: keeps))
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
