// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
package import Packaging

/// The parameters for decoding and re-encoding a video track. The same for every segment.
package struct VideoBridgePlan: Sendable {
    let parameters: CodecParameters
    let encoder: VideoEncoder.Settings
    let conversion: FrameConversion.Target
    /// Whether frames of the source may be interlaced.
    let isInterlaced: Bool
    /// Whether packets state when their pictures are shown. If not, decoded frames take the segment's times in the
    /// order in which the decoder returns them.
    let statesTimes: Bool
    /// Whether pictures are spaced evenly over the segment, because the container's times are too unreliable to be used
    /// for single pictures.
    package let spacesEvenly: Bool
    /// The delay from a segment's boundary to the presentation of its first picture, in ticks of the stream. 0 unless
    /// `spacesEvenly`.
    package let presentationDelay: Int64
    /// A packet that is decoded before each segment because only it states that packets hold several pictures (packed
    /// MPEG-4 part 2). Its frame is discarded. `nil` for other streams.
    let primer: Packet?
    /// Whether packets may contain pictures that are never shown (VP8).
    let hasHiddenPictures: Bool
    /// The conversion of the encoder's packets to samples.
    package let transform: SampleTransform
    /// The size at which the encoded video is displayed.
    package let display: DisplaySize
    /// The size of the video in the source after cropping, in pixels.
    let stored: (width: Int, height: Int)
    /// How far frames are rotated clockwise for display, in degrees.
    let rotation: Int

    /// Where the images of subtitles lie on the video.
    var canvas: CanvasFit { CanvasFit(stored: stored, shown: (display.width, display.height)) }

    var timeBase: TimeBase { TimeBase(1, Int64(encoder.timescale)) }

    var frameDuration: MediaTime {
        MediaTime(1, in: TimeBase(Int64(encoder.frameRate.denominator), Int64(encoder.frameRate.numerator)))
    }

    /// In bits per second.
    package var maximumBitRate: Int { encoder.maximumBitRate }

    /// Ticks per second of the pictures' times.
    package var timescale: Int { encoder.timescale }
}
