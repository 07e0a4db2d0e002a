// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Turns a decoded picture into a still: fields, crop, size, rotation and colour.
///
/// The result depends on nothing but what is given. A picture of standard dynamic range becomes R'G'B' of BT.709 that is
/// shown as it is; one in PQ or HLG is mapped to that, or kept; one in Dolby Vision's own colours is first composed by its
/// metadata. It is made small before its colours are changed, so that the work follows the size of the still.
package enum StillRenderer {
    package struct Request: Hashable, Sendable {
        /// Of the still after rotation. `nil` for no limit; nothing is ever made larger.
        package var maximumWidth: Int?
        package var maximumHeight: Int?
        /// Whether a picture in PQ or HLG stays that, with 16 bits a sample. One of standard dynamic range has 8 in any case.
        package var keepsHighDynamicRange: Bool
        /// Threads that work on one picture.
        package var threads: Int

        package init(
            maximumWidth: Int? = nil,
            maximumHeight: Int? = nil,
            keepsHighDynamicRange: Bool = false,
            threads: Int = 1
        ) {
            self.maximumWidth = maximumWidth
            self.maximumHeight = maximumHeight
            self.keepsHighDynamicRange = keepsHighDynamicRange
            self.threads = threads
        }
    }

    /// - Parameters:
    ///   - video: what is known of its stream.
    ///   - mapping: of this very picture, where it has Dolby Vision metadata that the decoder does not attach to it.
    ///   - neighbours: the pictures before and after it in presentation order. With them a picture of two fields keeps more
    ///     of its detail; without them the lines of one field are made from the other.
    package static func render(
        _ frame: VideoFrame,
        _ video: VideoProperties,
        mapping: DolbyVisionMapping? = nil,
        neighbours: Neighbours? = nil,
        _ request: Request
    ) throws(StillError) -> StillImage {
        let geometry = StillGeometry(
            width: frame.width,
            height: frame.height,
            video,
            maximumWidth: request.maximumWidth,
            maximumHeight: request.maximumHeight
        )
        let fields = FieldFilter(frame, neighbours)
        let filters = StillFilters(geometry, fields)
        var color = frame.pictureColor(video.color)
        if video.hasOwnDolbyVisionColors {
            let mapping = try composable(mapping ?? DolbyVisionMapping(of: frame))
            let codes = try filtered(fields.frames(.codes), filters.toCodes, request)
            let light = try DolbyVisionPicture.light(of: codes, mapping)
            color = .composed
            let peak = frame.peak(video) ?? mapping.peak ?? LightMapping.commonPeak
            let chain = request.keepsHighDynamicRange ? LightMapping.toPQ : LightMapping.toStandard(peak: peak)
            return StillImage(try filtered([light], chain, request), color, request)
        }
        let peak = frame.peak(video) ?? LightMapping.commonPeak
        let chain = filters.chain(from: color, peak: peak, keeps: request.keepsHighDynamicRange)
        return StillImage(try filtered(fields.frames(color), chain, request), color, request)
    }

    /// The last of `frames` behind a chain of filters.
    private static func filtered(
        _ frames: [VideoFrame],
        _ chain: String,
        _ request: Request
    ) throws(StillError) -> VideoFrame {
        do throws(FFmpegError) {
            return try FilterGraph.result(of: chain, frames, threads: request.threads)
        } catch {
            throw .library(error)
        }
    }

    private static func composable(_ mapping: DolbyVisionMapping?) throws(StillError) -> DolbyVisionMapping {
        guard let mapping else { throw .noDolbyVisionMetadata }
        return mapping
    }
}

extension VideoProperties {
    /// Whether the pictures are in Dolby Vision's own colours, which nothing else can show: profile 5, and profile 10 whose
    /// base layer is nothing by itself.
    var hasOwnDolbyVisionColors: Bool {
        guard let dolbyVision else { return sourceVideoFormat == .dolbyVision(profile: 5, compatibility: 0) }
        return dolbyVision.profile == 5 || dolbyVision.profile == 10 && dolbyVision.compatibility == 0
    }
}
