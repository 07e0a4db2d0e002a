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
    /// Why each device that was tried does not encode the video, if the load asks for one.
    private(set) var refusals: [EncoderChoice.Refusal] = []
    /// Whether the source's pictures have captions and the encoded ones do not.
    let losesCaptions: Bool
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
    ///   - target: the codec to encode to.
    ///   - library: what encodes.
    ///   - source: the setup of the source's own packets.
    ///   - packets: the first packets of the stream.
    ///   - limit: the limit for the size of the video that the session plays. It does not apply to a rung.
    ///   - rung: the rung of a ladder that is encoded; `nil` for the video that the session plays.
    /// - Throws: `unsupportedFeature` if the colours depend on Dolby Vision metadata, which the bridge does not apply, or if
    ///   the encoder does not support the size of the pictures; `unsupportedCodec` if there is no encoder.
    private static func make(
        of frame: VideoFrame,
        to target: EncodedCodec,
        by library: EncoderLibrary,
        _ source: TrackSetup,
        _ codec: CodecID,
        _ packets: [Packet],
        _ parameters: CodecParameters,
        _ limit: BridgeSize,
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
        let target = VideoTarget(
            target,
            width: width,
            height: height,
            frameRate: video.frameRate,
            limit: limit,
            rung: rung
        )
        let side = target.codec.smallestSide
        guard min(target.width, target.height) >= side else {
            let text = "\(target.width)x\(target.height) is too small for \(target.codec.name)"
            throw PackagingError(.unsupportedFeature, "\(text): sides have at least \(side) pixels")
        }
        let stated = found.sampleAspectRatio ?? video.sampleAspectRatio
        let aspect = stated.numerator > 0 && stated.denominator > 0 ? stated : Ratio(1, 1)
        let encoder = VideoEncoder.Settings(
            library,
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
            setup: try setup(target.codec, encoder, of: video, source.track),
            target: target,
            isToneMapped: found.isHDR,
            isReduced: target.width < width & ~1 || target.height < height & ~1,
            losesCaptions: video.hasClosedCaptions && !library.carriesCaptions,
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
            codec: target.codec,
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
        _ codec: EncodedCodec,
        _ encoder: VideoEncoder.Settings,
        of source: VideoProperties,
        _ track: Track
    ) throws(PackagingError) -> TrackSetup {
        let configuration: (extradata: [UInt8], packets: [[UInt8]])
        do throws(FFmpegError) {
            configuration = try self.configuration(of: codec, encoder)
        } catch {
            throw PackagingError(.unsupportedCodec, "cannot encode \(codec.name): \(error)")
        }
        let video = properties(of: codec, encoder, source)
        var setup = try TrackSetup.resolve(
            codec: codec.codec,
            timescale: track.timescale,
            extradata: configuration.extradata,
            firstPackets: configuration.packets,
            video: video,
            audio: nil,
            language: track.language
        )
        // The bitstream states neither the source's frame rate nor the captions in its pictures.
        setup.track.video = video
        return setup
    }

    /// What the encoder states for every segment, in codec private data or in the first packet. It does not depend on
    /// the content, so a black picture suffices to obtain it.
    private static func configuration(
        of codec: EncodedCodec,
        _ settings: VideoEncoder.Settings
    ) throws(FFmpegError) -> (extradata: [UInt8], packets: [[UInt8]]) {
        var encoder = try VideoEncoder.open(settings)
        if settings.library == .x264 { return (encoder.extradata, []) }
        let (width, height) = (settings.frames.width, settings.frames.height)
        var conversion = FrameConversion(
            to: FrameConversion.Target(
                width: width,
                height: height,
                cropping: Cropping(),
                declared: settings.frames.color,
                peak: 1
            )
        )
        let black = try conversion.convert(.blank(width: width, height: height, pts: nil))
        let packets = try encoder.encode(black, at: 0) + encoder.finish()
        // The encoder of a device may open but not encode, or state its parameter sets only once it has encoded.
        if codec == .h264 { return (packets.isEmpty ? [] : encoder.extradata, []) }
        let level = settings.rateControl.level
        return (codec == .vp9 ? VP9PrivateData.bytes(level: level) : [], packets.map(\.bytes))
    }

    private static func properties(
        of codec: EncodedCodec,
        _ encoder: VideoEncoder.Settings,
        _ source: VideoProperties
    ) -> VideoProperties {
        var video = VideoProperties()
        (video.width, video.height) = (encoder.frames.width, encoder.frames.height)
        video.sampleAspectRatio = encoder.frames.sampleAspectRatio
        video.frameRate = source.frameRate
        video.pixelFormat = VideoEncoder.pixelFormat
        video.color = encoder.frames.color
        video.codedColor = encoder.frames.color
        video.rotation = source.rotation
        if encoder.library.carriesCaptions {
            video.hasClosedCaptions = source.hasClosedCaptions
            video.captionChannels = source.captionChannels
            video.captionServices = source.captionServices
        }
        return video
    }
}

extension VideoBridgeDraft {
    /// What encodes the video.
    var library: EncoderLibrary { encoder.library }

    /// The bridge by the first encoder that works. Parameters as for `make(of:to:by:…)`.
    ///
    /// - Parameter usesDevice: whether the load asks for a device.
    static func make(
        of frame: VideoFrame,
        to target: EncodedCodec,
        usesDevice: Bool,
        _ source: TrackSetup,
        _ codec: CodecID,
        _ packets: [Packet],
        _ parameters: CodecParameters,
        _ limit: BridgeSize,
        _ rung: VideoLadder.Rung?
    ) throws(PackagingError) -> VideoBridgeDraft {
        let candidates = EncoderChoice.candidates(for: target, usesDevice: usesDevice)
        let found = try EncoderChoice.first(of: candidates) { (library) throws(PackagingError) in
            try make(of: frame, to: target, by: library, source, codec, packets, parameters, limit, rung)
        }
        var draft = found.made
        draft.refusals = found.refusals
        return draft
    }
}
