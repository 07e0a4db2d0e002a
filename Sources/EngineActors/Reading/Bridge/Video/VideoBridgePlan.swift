// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
package import Packaging

/// The parameters for decoding and re-encoding a video track. The same for every segment.
package struct VideoBridgePlan: Sendable {
    private(set) var input: VideoBridgeInput
    let codec: EncodedCodec
    private(set) var encoder: VideoEncoder.Settings
    private(set) var conversion: FrameConversion.Target
    /// Whether packets state when their pictures are shown. If not, decoded frames take the segment's times in the
    /// order in which the decoder returns them.
    let statesTimes: Bool
    /// Whether pictures are spaced evenly over the segment, because the container's times are too unreliable to be used
    /// for single pictures.
    package let spacesEvenly: Bool
    /// The delay from a segment's boundary to the presentation of its first picture, in ticks of the stream. 0 unless
    /// `spacesEvenly`.
    package let presentationDelay: Int64
    /// The conversion of the encoder's packets to samples.
    package let transform: SampleTransform
    /// The size at which the encoded video is displayed.
    package let display: DisplaySize
    /// How far frames are rotated clockwise for display, in degrees.
    let rotation: Int

    /// Where the images of subtitles lie on the video.
    var canvas: CanvasFit { CanvasFit(stored: input.stored, shown: (display.width, display.height)) }

    var timeBase: TimeBase { TimeBase(1, Int64(encoder.frames.timescale)) }

    var frameDuration: MediaTime {
        let rate = encoder.frames.rate
        return MediaTime(1, in: TimeBase(Int64(rate.denominator), Int64(rate.numerator)))
    }

    /// Whether captions in the source's pictures are also in the encoded ones.
    package var carriesCaptions: Bool { encoder.library.carriesCaptions }

    /// In bits per second.
    package var maximumBitRate: Int { encoder.rateControl.maximumBitRate }

    /// Ticks per second of the pictures' times.
    package var timescale: Int { encoder.frames.timescale }

    /// The same plan for packets of another video. Its frames are encoded in the same size as all others.
    func decoding(_ input: VideoBridgeInput, as video: VideoProperties) -> VideoBridgePlan {
        var plan = self
        plan.input = input
        plan.conversion.cropping = video.cropping
        plan.conversion.declared = video.color
        return plan
    }

    /// The number of decoding threads: the same on every machine, because damaged frames may depend on it.
    var decodingThreads: Int { encoder.isSerial ? 1 : 2 }

    /// The same plan with all work on the calling thread, as far as the encoder's library can do that. For measuring:
    /// the bytes may differ.
    var serial: VideoBridgePlan {
        var plan = self
        plan.encoder.isSerial = encoder.library.canBeSerial
        return plan
    }
}
