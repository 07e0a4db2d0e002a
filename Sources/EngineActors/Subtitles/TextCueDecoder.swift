// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import Packaging
internal import Reading

/// Decodes text subtitles. libavcodec converts each packet of any text format to ASS events.
final class TextCueDecoder: CueDecoder {
    /// The duration of a cue for which the source gives none.
    private static let defaultLength = MediaTime.seconds(5)

    private let setting: CueSetting
    private let header: ASSHeader
    private let isScript: Bool
    private var codec: SubtitleCodec
    let scriptHeader: String

    init(_ setting: CueSetting, _ codec: consuming SubtitleCodec) {
        self.setting = setting
        isScript = setting.track.codec.isScript
        header = ASSHeader(codec.header, hasStyles: isScript)
        scriptHeader = isScript ? codec.header : ""
        self.codec = codec
    }

    func cues(of packet: Packet) -> [Cue] {
        guard let ticks = packet.pts ?? packet.dts, let decoded = codec.readable(packet) else { return [] }
        let time = setting.time(ticks)
        let start = time + MediaTime(microseconds: decoded.startOffset &* 1000)
        let length = decoded.endOffset.map { MediaTime(microseconds: $0 &* 1000) } ?? unstatedLength
        let end = length.map { max(start, time + $0) } ?? start + Self.defaultLength
        return decoded.parts.compactMap { part in
            guard case .event(let line) = part, let event = ASSEvent(line),
                var text = CueText(event, in: header, isScript: isScript) ?? textless(event)
            else { return nil }
            if isScript {
                // The source's own line, with times on the source's clock.
                let (from, to) = (setting.origin.source(of: start), setting.origin.source(of: end))
                text.raw = event.dialogue(from: from.microseconds, to: to.microseconds)
                text.readOrder = event.readOrder
            }
            return Cue(track: setting.track.id, start: start, end: end, content: .text(text))
        }
    }

    /// An event of a script that shows something other than text.
    private func textless(_ event: ASSEvent) -> CueText? {
        isScript && event.text.contains { !$0.isWhitespace } ? CueText(plain: "", runs: []) : nil
    }

    func pass(_ packet: Packet) { _ = cues(of: packet) }

    /// The duration of a cue whose packet states none: zero in MP4, where it is intended; `nil`, unknown, in other
    /// containers.
    private var unstatedLength: MediaTime? { setting.track.codec.rawValue == "mov_text" ? .zero : nil }

    /// Every text packet is complete, so no cue remains.
    func finish() -> [Cue] { [] }
}
