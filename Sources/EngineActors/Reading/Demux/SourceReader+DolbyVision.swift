// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

extension SourceReader {
    /// What the second video track holds, if it is a Dolby Vision enhancement layer. Otherwise returns `nil` and drops
    /// the track from `choice`.
    func companionLayer(of choice: inout StreamChoice, _ media: inout MediaDescription, _ head: Head) -> SecondLayer? {
        guard let stream = choice.companion else { return nil }
        let layer = SecondLayer(
            companion: (head.packets[stream] ?? []).map(\.bytes),
            declared: media.streams[stream].video?.dolbyVision
        )
        if layer == nil {
            choice.companion = nil
        } else {
            media.streams[stream].route = StreamChoice.layerRoute(of: choice.video)
        }
        return layer
    }

    func layerNotice(_ layer: SecondLayer) -> Notice {
        let kind =
            switch layer.source.metadata {
            case .seven(isMinimal: true): "minimal enhancement layer"
            case .seven(isMinimal: false): "full enhancement layer"
            default: "enhancement layer"
            }
        return Notice(.info, "video.layer_dropped", "the Dolby Vision \(kind) is dropped; the base layer is served")
    }
}

extension Packet {
    package var bytes: [UInt8] { withBytes { [UInt8](copying: $0) } }
}
