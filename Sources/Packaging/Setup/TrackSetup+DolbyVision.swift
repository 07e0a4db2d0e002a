// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Dolby Vision's second layer, found in the video track or in another track.
package struct SecondLayer: Hashable, Sendable {
    package var source: DolbyVisionSource
    /// The framing of the other track's packets. `nil` if the layer is in the video track itself.
    package var companion: NALFraming?

    /// Examines the first packets of another HEVC track.
    ///
    /// - Returns: `nil` unless it contains RPUs of a second layer, that is, belongs to another track's video.
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
    /// Looks for a second layer. If there is one, the video is profile 7, whatever the container declares.
    ///
    /// - Parameters:
    ///   - packets: complete, starting at a random access point.
    ///   - other: the layer found in another track. A layer in the video track takes precedence.
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

    /// Removes the second layer from the samples. If the player gets no Dolby Vision, the result is HDR10.
    mutating func leaveOutSecondLayer(for delivery: DolbyVisionDelivery) {
        guard let secondLayer, let framing = transform.framing else { return }
        var target = DolbyVisionPacking.Target.baseLayer
        if case .converted = delivery { target = .profile8 }
        transform = .dolbyVision(
            DolbyVisionPacking(framing: framing, target: target, companion: secondLayer.companion)
        )
    }
}
