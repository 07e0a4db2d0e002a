// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

extension SourceReader {
    /// Decides how the video is signalled to the current player, and describes it.
    ///
    /// Video that the player does not support is left to the software path.
    ///
    /// - Throws: `noPlayableStream` when the software path has no decoder for it either.
    func route(
        _ setups: inout [(StreamInfo, TrackSetup)],
        _ media: inout MediaDescription,
        _ head: Head,
        options: LoadOptions,
        notices: inout [Notice]
    ) throws(EngineError) {
        for place in setups.indices where setups[place].0.kind == .video {
            if !options.profile.takesInterlaced {
                lookAtFields(&setups[place], head, &notices)
            }
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
                    "pixels of \(ratio.numerator):\(ratio.denominator) do not suit \(video.width)x\(video.height)"
                    + "; treating pixels as square"
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

    /// Checks whether a video that is declared interlaced really is. Only needed for a player that would show combing.
    private func lookAtFields(_ draft: inout (StreamInfo, TrackSetup), _ head: Head, _ notices: inout [Notice]) {
        let (info, setup) = draft
        guard setup.track.video?.isInterlaced == true, StreamChoice.video.contains(info.codec),
            let parameters = try? context.codecParameters(of: info.index),
            case .progressive? = try? PictureTrial.fields(of: head.packets[info.index] ?? [], parameters)
        else { return }
        draft.1.track.video?.isInterlaced = false
        let text = "stream \(info.index) is declared interlaced but its pictures are not; treating it as progressive"
        notices.append(Notice(.info, "video.fields_contradiction", text))
    }
}
