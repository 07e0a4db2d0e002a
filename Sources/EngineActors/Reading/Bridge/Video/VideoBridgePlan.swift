// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
package import Packaging

/// The parameters for decoding and re-encoding a video track. The same for every segment.
package struct VideoBridgePlan: Sendable {
    let parameters: CodecParameters
    let encoder: VideoEncoder.Settings
    let conversion: FrameConversion.Goal
    /// Whether frames of the source may be interlaced.
    let isInterlaced: Bool
    /// Whether packets state when their pictures are shown. If not, pictures take the times of the segment in the order
    /// in which the decoder returns them.
    let statesTimes: Bool
    /// Whether the container's times are too sparse to be used for single pictures, which then last equally long.
    package let spacesEvenly: Bool
    /// If the plan's boundaries are decode times: how many ticks of the stream after the boundary the first picture of a
    /// segment is shown. 0 if boundaries are presentation times.
    package let presentationDelay: Int64
    /// A packet from the start of the stream that shows the decoder how packets are composed. Its picture is not
    /// shown.
    let primer: Packet?
    /// Whether packets may contain pictures that are never shown (VP8).
    let hasHiddenPictures: Bool
    /// The conversion of the encoder's packets to samples.
    package let transform: SampleTransform

    /// In bits per second.
    package var maximumBitRate: Int { encoder.maximumBitRate }

    /// Ticks per second of the pictures' times.
    package var timescale: Int { encoder.timescale }
}
