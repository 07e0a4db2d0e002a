// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// What a decoded picture says of itself, beside its pixels.
package struct PictureFacts: Hashable, Sendable {
    /// In ticks of its stream. `nil` when it has none.
    package var ticks: Int64?
    package var durationTicks: Int64
    /// Seconds of a tick. `nil` when the decoder does not say.
    package var tick: Ratio?
    package var color: ColorDescription
    /// As `AVChromaLocation` counts; 0 when unspecified.
    package var chromaLocation: Int
    /// Clockwise, in degrees: 0, 90, 180 or 270.
    package var rotation = 0
    /// Of a pixel; square where nothing is said.
    package var aspectRatio: Ratio
    package var hasAspectRatio: Bool
    package var isKey: Bool
    package var isInterlaced: Bool
    package var isTopFieldFirst: Bool
    package var isDamaged: Bool
    package var masteringDisplay: MasteringDisplay?
    package var contentLight: ContentLight?
    /// A message of ITU-T T.35 as SMPTE ST 2094-40 has it, from its country code on. Empty when there is none.
    package var hdr10Plus: [UInt8]
    /// A reference processing unit of Dolby Vision. Empty when there is none.
    package var dolbyVision: [UInt8]
}
