// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// A video bridge that was tried on a track's first packets: its init segment is known, but not how the container states
/// the times of pictures.
struct VideoBridgeDraft {
    /// The setup of the encoded video.
    let setup: TrackSetup
    let target: VideoTarget
    /// Whether frames are tone-mapped.
    let isToneMapped: Bool
    /// Whether frames are scaled down.
    let isReduced: Bool
    /// The framing of the source's packets.
    let sourceTransform: SampleTransform
    private let input: VideoBridgeInput
    private let encoder: VideoEncoder.Settings
    private let conversion: FrameConversion.Target
    /// The number of ticks of the stream from decoding to showing the first packet. 0 if the packet does not state it.
    private let presentationDelay: Int64

    /// Chooses the settings for a video whose first frame is `frame`, and opens the encoder, which determines the init
    /// segment.
    ///
    /// - Parameters:
    ///   - source: the setup of the source's own packets.
    ///   - packets: the first packets of the stream.
    ///   - rung: the rung of a ladder that is encoded; `nil` for the video that the session plays.
    /// - Throws: `unsupportedFeature` if the colours depend on Dolby Vision metadata, which the bridge does not apply;
    ///   `unsupportedCodec` if there is no encoder.
    static func make(
        of frame: VideoFrame,
        _ source: TrackSetup,
        _ codec: CodecID,
        _ packets: [Packet],
        _ parameters: CodecParameters,
        _ rung: VideoLadder.Rung?
    ) throws(PackagingError) -> VideoBridgeDraft {
        let video = source.track.video ?? VideoProperties()
        guard !video.hasOwnDolbyVisionColors else {
            throw PackagingError(
                .unsupportedFeature,
                "the colours of \(video.sourceVideoFormat.name) cannot be encoded"
            )
        }
        let found = FrameConversion.source(of: frame, video)
        let crop = video.cropping.fits(width: found.width, height: found.height) ? video.cropping : Cropping()
        let (width, height) = (found.width - crop.left - crop.right, found.height - crop.top - crop.bottom)
        let target = VideoTarget(width: width, height: height, frameRate: video.frameRate, rung: rung)
        let stated = found.sampleAspectRatio ?? video.sampleAspectRatio
        let aspect = stated.numerator > 0 && stated.denominator > 0 ? stated : Ratio(1, 1)
        let encoder = VideoEncoder.Settings(
            frames: VideoEncoder.FrameFormat(
                width: target.width,
                height: target.height,
                sampleAspectRatio: aspect,
                color: found.color,
                timescale: Int(source.track.timescale),
                rate: target.frameRate
            ),
            rateControl: VideoEncoder.RateControl(
                quality: target.quality,
                maximumBitRate: target.maximumBitRate,
                bufferSize: target.bufferSize,
                level: target.level
            ),
            preset: target.preset,
            reordersFrames: rung?.reordersFrames ?? true
        )
        return VideoBridgeDraft(
            setup: try setup(encoder, of: video, source.track),
            target: target,
            isToneMapped: found.isHDR,
            isReduced: target.width < width & ~1 || target.height < height & ~1,
            sourceTransform: source.transform,
            input: VideoBridgeInput(
                parameters: parameters,
                stored: (width, height),
                isInterlaced: video.isInterlaced || frame.isInterlaced,
                hasHiddenPictures: codec.rawValue == "vp8",
                // Only the first packet states that packets hold several pictures.
                primer: codec == .mpeg4 ? packets.first { $0.withBytes { MPEG4Visual.isPacked($0) } } : nil
            ),
            encoder: encoder,
            conversion: FrameConversion.Target(
                width: target.width,
                height: target.height,
                cropping: crop,
                declared: video.color,
                peak: found.peak
            ),
            presentationDelay: packets.first.flatMap { first in
                first.pts.flatMap { pts in first.dts.map { pts &- $0 } }
            } ?? 0
        )
    }

    /// - Parameters:
    ///   - statesTimes: as in the plan.
    ///   - container: AVI states when each picture is decoded; in other containers, some decode times are guesses.
    func plan(statesTimes: Bool, in container: ContainerFormat) -> VideoBridgePlan {
        let spacesEvenly = !statesTimes && !container.isAVI
        return VideoBridgePlan(
            input: input,
            encoder: encoder,
            conversion: conversion,
            statesTimes: statesTimes,
            spacesEvenly: spacesEvenly,
            presentationDelay: spacesEvenly ? presentationDelay : 0,
            transform: setup.transform,
            display: DisplaySize(setup.track.video ?? VideoProperties()),
            rotation: setup.track.video?.rotation ?? 0
        )
    }

    private static func setup(
        _ encoder: VideoEncoder.Settings,
        of source: VideoProperties,
        _ track: Track
    ) throws(PackagingError) -> TrackSetup {
        let extradata: [UInt8]
        do throws(FFmpegError) {
            extradata = try VideoEncoder.open(encoder).extradata
        } catch {
            throw PackagingError(.unsupportedCodec, "cannot encode H.264: \(error)")
        }
        let video = properties(of: encoder, source)
        var setup = try TrackSetup.resolve(
            codec: .h264,
            timescale: track.timescale,
            extradata: extradata,
            firstPackets: [],
            video: video,
            audio: nil,
            language: track.language
        )
        // The parameter sets state neither the source's frame rate nor the captions in its pictures.
        setup.track.video = video
        return setup
    }

    private static func properties(of encoder: VideoEncoder.Settings, _ source: VideoProperties) -> VideoProperties {
        var video = VideoProperties()
        (video.width, video.height) = (encoder.frames.width, encoder.frames.height)
        video.sampleAspectRatio = encoder.frames.sampleAspectRatio
        video.frameRate = source.frameRate
        video.pixelFormat = VideoEncoder.pixelFormat
        video.color = encoder.frames.color
        video.codedColor = encoder.frames.color
        video.rotation = source.rotation
        video.hasClosedCaptions = source.hasClosedCaptions
        video.captionChannels = source.captionChannels
        video.captionServices = source.captionServices
        return video
    }
}
