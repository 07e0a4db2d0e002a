// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging
internal import Reading

/// Decodes one channel of CEA-608 captions. Commands take effect in presentation order.
///
/// Packets hold `cc_data` triplets and arrive in decoding order.
final class CaptionCueDecoder: CueDecoder {
    /// Erase Displayed Memory (CEA-608), as a triplet for field 1, channel 1.
    private static let erase: [UInt8] = [0xFC, 0x94, 0x2C]

    private let setting: CueSetting
    private let header: ASSHeader
    private var codec: SubtitleCodec
    private var channel: CaptionChannel
    private var order = CaptionOrder()
    private var first: MediaTime?
    private var latest: CaptionOrder.Item?

    var scriptHeader: String { "" }

    init(_ setting: CueSetting, _ codec: consuming SubtitleCodec) {
        self.setting = setting
        header = ASSHeader(codec.header, hasStyles: false)
        self.codec = codec
        channel = CaptionChannel(setting.track.service)
    }

    func pass(_ packet: Packet) { _ = cues(of: packet) }

    func cues(of packet: Packet) -> [Cue] { order.next(packet).flatMap { cues(of: $0) } }

    /// Captions on screen at the end of the source have no end time.
    func finish() -> [Cue] {
        var cues = order.takeAll().flatMap { self.cues(of: $0) }
        if let latest {
            cues += decode(latest, Self.erase).map { cue in
                Cue(track: cue.track, start: cue.start, end: nil, content: cue.content)
            }
        }
        return cues
    }

    private func cues(of item: CaptionOrder.Item) -> [Cue] {
        first = first ?? setting.time(item.time)
        latest = item
        let taken = channel.taken(from: item.triplets)
        return taken.isEmpty ? [] : decode(item, taken)
    }

    private func decode(_ item: CaptionOrder.Item, _ triplets: [UInt8]) -> [Cue] {
        guard let decoded = codec.readable(item.packet.carrying(triplets).presented(at: item.time)),
            let time = decoded.time
        else { return [] }
        // libavcodec assigns an arbitrarily early time to a caption that is on screen at the start.
        let start = max(first ?? .zero, setting.origin.presentation(of: MediaTime(microseconds: time)))
        let end = setting.time(item.time)
        return decoded.parts.compactMap { part in
            guard case .event(let line) = part, let event = ASSEvent(screen: line),
                let text = CueText(event, in: header, isScript: false)
            else { return nil }
            return Cue(track: setting.track.id, start: start, end: end, content: .text(text))
        }
    }
}
