// SPDX-License-Identifier: Apache-2.0

package import EngineModel

extension TrackSetup {
    /// What Dolby Vision there is in the packets of this track. `nil` for codecs other than HEVC.
    ///
    /// - Parameter packets: complete, from a random access point on.
    package func dolbyVision(
        in packets: [[UInt8]],
        declared: DolbyVisionConfiguration?
    ) -> DolbyVisionSource? {
        guard track.codec == .hevc, let framing = transform.framing else { return nil }
        return DolbyVisionSource(packets: packets, framing: framing, declared: declared)
    }

    /// Takes Dolby Vision's second layer out of the samples.
    ///
    /// - Parameters:
    ///   - showsDolbyVision: whether the player takes profile 8.1; else what is left is HDR10.
    ///   - companion: the framing of the track that holds that layer, where it is not in this one.
    package mutating func leaveOutSecondLayer(showsDolbyVision: Bool, companion: NALFraming? = nil) {
        guard let framing = transform.framing else { return }
        transform = .dolbyVision(
            DolbyVisionPacking(
                framing: framing,
                target: showsDolbyVision ? .profile8 : .baseLayer,
                companion: companion
            )
        )
    }
}

extension DolbyVisionSource {
    /// Looks at the first packets of a second HEVC track.
    ///
    /// - Returns: `nil` unless it holds an enhancement layer's metadata, that is, belongs to another track's pictures.
    package static func companion(
        packets: [[UInt8]],
        declared: DolbyVisionConfiguration?
    ) -> (source: DolbyVisionSource, framing: NALFraming)? {
        guard let framing = try? NALFraming.detect(packets, declared: .annexB) else { return nil }
        let source = DolbyVisionSource(packets: packets, framing: framing, declared: declared)
        guard source.metadata != nil, source.hasSecondLayer else { return nil }
        return (source, framing)
    }
}
