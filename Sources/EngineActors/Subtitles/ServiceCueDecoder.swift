// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging
internal import Reading

/// Decodes one service of CTA-708 captions. Caption commands take effect in presentation order.
///
/// Packets contain `cc_data` triplets and arrive in decoding order. The samples of a `c708` track are converted to
/// triplets, and service 1 is decoded.
final class ServiceCueDecoder: CueDecoder {
    private let setting: CueSetting
    private var order = CaptionOrder()
    private var decoder: ServiceDecoder

    var scriptHeader: String { "" }

    init(_ setting: CueSetting) {
        self.setting = setting
        // The threshold, 16:10, lies between 3:2, the shape of an NTSC frame in pixels, and 16:9.
        let isWide = setting.videoCanvas.map { $0.width * 10 > $0.height * 16 } ?? true
        decoder = ServiceDecoder(number: max(1, setting.track.service), isWide: isWide)
    }

    func pass(_ packet: Packet) { _ = cues(of: packet) }

    func cues(of packet: Packet) -> [Cue] {
        let isSample = !setting.track.isWithinPictures
        let carried = isSample ? packet.carrying(CaptionData.triplets(sample: packet.bytes)) : packet
        return order.next(carried).flatMap { cues(of: $0) }
    }

    /// Captions on screen at the end of the source stay on screen.
    func finish() -> [Cue] {
        order.takeAll().flatMap { cues(of: $0) } + decoder.finish().map { cue($0) }
    }

    private func cues(of item: CaptionOrder.Item) -> [Cue] {
        decoder.captions(from: item.triplets, at: setting.time(item.time)).map { cue($0) }
    }

    private func cue(_ caption: ServiceCaption) -> Cue {
        Cue(track: setting.track.id, start: caption.start, end: caption.end, content: .text(caption.text))
    }
}
