// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Dolby Vision's second layer, found in a video or beside it.
package struct SecondLayer: Hashable, Sendable {
    package var source: DolbyVisionSource
    /// How packets of the track that holds it are framed. `nil` when it lies among the pictures.
    package var companion: NALFraming?

    /// Looks at the first packets of another HEVC track.
    ///
    /// - Returns: `nil` unless it holds an enhancement layer's metadata, that is, belongs to another track's pictures.
    package init?(companion packets: [[UInt8]], declared: DolbyVisionConfiguration?) {
        guard let framing = try? NALFraming.detect(packets, declared: .annexB) else { return nil }
        source = DolbyVisionSource(packets: packets, framing: framing, declared: declared)
        companion = framing
        guard source.metadata != nil, source.hasSecondLayer else { return nil }
    }

    fileprivate init?(source: DolbyVisionSource) {
        guard source.hasSecondLayer else { return nil }
        self.source = source
    }
}

extension TrackSetup {
    /// Looks for a second layer, which makes the video one of profile 7 whatever the container declares.
    ///
    /// - Parameters:
    ///   - packets: complete, from a random access point on.
    ///   - other: what another track holds. What lies among the pictures themselves goes before it.
    package mutating func findSecondLayer(
        in packets: [[UInt8]],
        declared: DolbyVisionConfiguration?,
        beside other: SecondLayer?
    ) {
        guard track.codec == .hevc, let framing = transform.framing, let video = track.video else { return }
        let own = DolbyVisionSource(packets: packets, framing: framing, declared: declared)
        secondLayer = own.metadata == nil && other != nil ? other : SecondLayer(source: own)
        guard let source = secondLayer?.source else { return }
        canConvertDolbyVision = source.metadata != nil
        let record = source.configuration(of: video)
        track.video?.dolbyVision = record
        track.video?.sourceVideoFormat = record.format
    }

    /// Takes the second layer out of the samples. Without Dolby Vision for the player what is left is HDR10.
    mutating func leaveOutSecondLayer(for delivery: DolbyVisionDelivery) {
        guard let secondLayer, let framing = transform.framing else { return }
        var target = DolbyVisionPacking.Target.baseLayer
        if case .converted = delivery { target = .profile8 }
        transform = .dolbyVision(
            DolbyVisionPacking(framing: framing, target: target, companion: secondLayer.companion)
        )
    }
}
