// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// The properties of a decoded frame, apart from its pixels.
package struct PictureFacts: Hashable, Sendable {
    /// The presentation time in ticks of the stream; `nil` if the frame has none.
    package var ticks: Int64?
    package var durationTicks: Int64
    /// The length of a tick in seconds; `nil` if the decoder does not report it.
    package var tick: Ratio?
    package var color: ColorDescription
    /// A value of `AVChromaLocation`; 0 if unspecified.
    package var chromaLocation: Int
    /// Clockwise, in degrees: 0, 90, 180 or 270.
    package var rotation = 0
    /// The sample aspect ratio; 1:1 if not specified.
    package var aspectRatio: Ratio
    package var hasAspectRatio: Bool
    package var isKey: Bool
    package var isInterlaced: Bool
    package var isTopFieldFirst: Bool
    package var isDamaged: Bool
    package var masteringDisplay: MasteringDisplay?
    package var contentLight: ContentLight?
    /// The ITU-T T.35 message of SMPTE ST 2094-40, starting at the country code. Empty if there is none.
    package var hdr10Plus: [UInt8]
    /// The Dolby Vision reference processing unit (RPU). Empty if there is none.
    package var dolbyVision: [UInt8]
}
