// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

extension SourceReader {
    /// Decides how the video is signalled to the player at hand, and describes it.
    ///
    /// What the player does not take is left to the software path.
    ///
    /// - Throws: `noPlayableStream` when that has no decoder for it either.
    func route(
        _ setups: inout [(StreamInfo, TrackSetup)],
        _ media: inout MediaDescription,
        options: LoadOptions,
        notices: inout [Notice]
    ) throws(EngineError) {
        for place in setups.indices where setups[place].0.kind == .video {
            let (info, setup) = setups[place]
            if case .software = media.streams[info.index].route { continue }
            let route = VideoRoute(
                track: setup.track,
                profile: options.profile,
                hasDolbyVision: options.hasDolbyVision,
                canConvert: setup.canConvertDolbyVision
            )
            media.streams[info.index].route = route.route
            guard let entry = route.entry else {
                if VideoDecoder.exists(for: info.codec) { continue }
                throw EngineError(
                    .noPlayableStream,
                    "the \(info.codec.rawValue) video of \(file.path) cannot be served to \(options.profile.name)",
                    cause: route.route.reason
                )
            }
            setups[place].1 = setup.routed(route)
            notices += setup.notices
            if let video = setup.track.video, video.hasImpossibleAspectRatio {
                let ratio = video.sampleAspectRatio
                let text =
                    "pixels of \(ratio.numerator):\(ratio.denominator) cannot be meant with \(video.width)x\(video.height); they "
                    + "count as square"
                notices.append(Notice(.warning, "video.aspect_ratio_ignored", text))
            }
            var delivery = Delivery(
                codec: info.codec,
                sampleEntry: entry.rawValue,
                codecString: route.codecString,
                supplementalCodecs: route.supplementalCodecs
            )
            delivery.videoFormat = route.format
            media.streams[info.index].delivery = delivery
        }
    }
}
