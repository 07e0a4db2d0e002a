// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging

/// Teletext: one page of a stream, whose every version replaces the one before until the page is erased.
final class TeletextCueDecoder: CueDecoder {
    private let setting: CueSetting
    private let header: ASSHeader
    private var codec: SubtitleCodec
    /// What is on; `nil` while no version has come, as what was on before is not known. A page that is sent again as it is
    /// changes nothing.
    private var shown: Shown?

    private enum Shown: Equatable {
        case nothing
        case page(CueText)
    }

    var scriptHeader: String { "" }

    init(_ setting: CueSetting, _ codec: consuming SubtitleCodec) {
        self.setting = setting
        header = ASSHeader(codec.header, hasStyles: true)
        self.codec = codec
    }

    /// - Parameter page: 100 … 899; 0 for whatever is marked as subtitles (ETSI EN 300 706 §9.3.1.3, C6).
    static func options(page: Int) -> SubtitleCodec.Options {
        [("txt_page", page == 0 ? "subtitle" : "\(page)"), ("txt_format", "ass")]
    }

    func pass(_ packet: Packet) { _ = cues(of: packet) }

    func cues(of packet: Packet) -> [Cue] {
        // What cannot be decoded is left out: the packets around it are whole.
        var cues = (try? codec.decode(packet)).map { self.cues(of: $0, packet) } ?? []
        // A packet may complete several versions, of which the decoder gives one at a time.
        while let more = try? codec.drain() { cues += self.cues(of: more, packet) }
        return cues
    }

    func finish() -> [Cue] { [] }

    private func cues(of decoded: DecodedSubtitle, _ packet: Packet) -> [Cue] {
        let ticks = (packet.pts ?? packet.dts).map(setting.time)
        guard let start = decoded.time.map({ MediaTime(microseconds: $0) - setting.origin }) ?? ticks else { return [] }
        let texts = decoded.parts.compactMap { part -> CueText? in
            guard case .event(let line) = part, let event = ASSEvent(screen: line) else { return nil }
            return CueText(event, in: header, isScript: false)
        }
        guard let text = texts.first else {
            guard shown != .nothing else { return [] }
            shown = .nothing
            return [Cue(track: setting.track.id, start: start, end: start, content: .nothing)]
        }
        guard shown != .page(text) else { return [] }
        shown = .page(text)
        return [Cue(track: setting.track.id, start: start, end: nil, content: .text(text))]
    }
}
