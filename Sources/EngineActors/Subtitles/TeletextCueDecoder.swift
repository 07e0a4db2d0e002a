// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging
internal import Reading

/// Decodes one page of a teletext stream. Each version of the page replaces the previous one, until the page is erased.
final class TeletextCueDecoder: CueDecoder {
    private let setting: CueSetting
    private let header: ASSHeader
    private var codec: SubtitleCodec
    /// The content on screen; `nil` before the first version, when it is unknown. A page that is repeated unchanged
    /// yields no new cue.
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

    /// - Parameter page: 100 … 899; 0 for any page marked as subtitles (ETSI EN 300 706 §9.3.1.3, C6).
    static func options(page: Int) -> SubtitleCodec.Options {
        [("txt_page", page == 0 ? "subtitle" : "\(page)"), ("txt_format", "ass")]
    }

    func pass(_ packet: Packet) { _ = cues(of: packet) }

    func cues(of packet: Packet) -> [Cue] {
        var cues = codec.readable(packet).map { self.cues(of: $0, packet) } ?? []
        // A packet may complete several versions, which the decoder returns one at a time.
        while let more = rest() { cues += self.cues(of: more, packet) }
        return cues
    }

    /// The next version; `nil` when there is none, or when it cannot be decoded.
    private func rest() -> DecodedSubtitle? {
        do throws(FFmpegError) {
            return try codec.drain()
        } catch {
            return nil
        }
    }

    func finish() -> [Cue] { [] }

    private func cues(of decoded: DecodedSubtitle, _ packet: Packet) -> [Cue] {
        let ticks = (packet.pts ?? packet.dts).map(setting.time)
        let stated = decoded.time.map { setting.origin.presentation(of: MediaTime(microseconds: $0)) }
        guard let start = stated ?? ticks else { return [] }
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
