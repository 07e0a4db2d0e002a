// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

extension SourceReader {
    typealias Layer = (source: DolbyVisionSource, framing: NALFraming)

    /// What the second video track holds, when that is Dolby Vision's enhancement layer; else it is not read any further.
    func layer(of choice: inout StreamChoice, _ media: MediaDescription, _ head: Head) -> Layer? {
        guard let stream = choice.companion else { return nil }
        let layer = DolbyVisionSource.companion(
            packets: (head.packets[stream] ?? []).map(\.bytes),
            declared: media.streams[stream].video?.dolbyVision
        )
        if layer == nil { choice.companion = nil }
        return layer
    }

    /// Finds Dolby Vision in the video, says what it is, and has its second layer left out.
    func describeLayers(
        of setup: inout TrackSetup,
        _ layer: Layer?,
        _ media: inout MediaDescription,
        _ choice: StreamChoice,
        _ head: Head,
        _ options: LoadOptions,
        _ notices: inout [Notice]
    ) {
        guard let stream = choice.video, let video = setup.track.video else { return }
        let own = setup.dolbyVision(
            in: (head.packets[stream] ?? []).map(\.bytes),
            declared: media.streams[stream].video?.dolbyVision
        )
        // Metadata among the pictures themselves goes before that of another track.
        guard let source = own?.metadata == nil ? layer?.source ?? own : own,
            let record = source.configuration(of: video)
        else { return }
        setup.track.video?.dolbyVision = record
        setup.track.video?.sourceVideoFormat = record.format
        if let companion = choice.companion {
            media.streams[companion].route = StreamChoice.layerRoute(of: stream)
        }
        guard source.hasSecondLayer else { return }
        let isShown = options.hasDolbyVision && options.profile.dolbyVision.contains("8.1")
        setup.leaveOutSecondLayer(showsDolbyVision: isShown, companion: layer?.framing)
        notices.append(Notice(.info, "video.layer_dropped", source.text(isShown: isShown)))
    }
}

extension DolbyVisionSource {
    fileprivate func text(isShown: Bool) -> String {
        let layer =
            switch metadata {
            case .seven(isMinimal: true): "minimal enhancement layer"
            case .seven(isMinimal: false): "full enhancement layer"
            default: "enhancement layer"
            }
        return "the \(layer) is left out; the video is served as \(isShown ? "Dolby Vision 8.1" : "HDR10")"
    }
}

extension Packet {
    var bytes: [UInt8] { withBytes { [UInt8](copying: $0) } }
}
