// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Dolby Vision's second layer, found in the video track or in another track.
package struct SecondLayer: Hashable, Sendable {
    package var source: DolbyVisionSource
    /// The framing of the other track's packets. `nil` if the layer is in the video track itself.
    package var companion: NALFraming?

    /// Examines the first packets of another HEVC track.
    ///
    /// - Returns: `nil` unless the track contains RPUs of a second layer, which belong to another track's video.
    package init?(companion packets: [[UInt8]], declared: DolbyVisionConfiguration?) {
        let framing: NALFraming
        do throws(PackagingError) {
            framing = try NALFraming.detect(packets, declared: .annexB)
        } catch {
            // Packets without NAL units carry no RPU either.
            return nil
        }
        source = DolbyVisionSource(packets: packets, framing: framing, declared: declared)
        companion = framing
        guard source.metadata != nil, source.hasSecondLayer else { return nil }
    }

    init?(source: DolbyVisionSource) {
        guard source.hasSecondLayer else { return nil }
        self.source = source
    }
}
