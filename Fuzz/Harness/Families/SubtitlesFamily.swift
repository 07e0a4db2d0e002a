// SPDX-License-Identifier: Apache-2.0

import EngineModel

@testable import Packaging

/// The input is pieces: the header of a script, then its events, which are also the cues of a list.
func exerciseSubtitles(_ bytes: [UInt8]) {
    let parts = pieces(bytes, limit: 32)
    let texts = parts.map { String(decoding: $0, as: UTF8.self) }
    let header = ASSHeader(texts.first ?? "", hasStyles: true)
    _ = ASSWriter.head(texts.first ?? "")
    var cues: [Cue] = []
    for (number, text) in texts.dropFirst().enumerated() {
        for line in [text, "0,0,Default,,0,0,0,,\(text)"] {
            guard let event = ASSEvent(line) else { continue }
            for isScript in [false, true] {
                guard let text = CueText(event, in: header, isScript: isScript) else { continue }
                expect(text.plain == text.runs.map(\.text).joined(), "the runs are the text")
                expect((1...9).contains(text.alignment), "an alignment is on the keypad")
                cues.append(cue(text, parts[number + 1]))
            }
        }
    }
    exerciseCues(cues)
}

/// A cue whose times come from the first bytes of its piece.
private func cue(_ text: CueText, _ bytes: [UInt8]) -> Cue {
    let start = bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let length = bytes.dropFirst(8).prefix(4).reduce(Int64(0)) { $0 << 8 | Int64($1) }
    let begin = MediaTime(microseconds: Int64(bitPattern: start))
    let end = length % 3 == 0 ? nil : begin + MediaTime(microseconds: length)
    return Cue(track: Int(length % 2), start: begin, end: end, content: .text(text))
}

private func exerciseCues(_ cues: [Cue]) {
    var list = CueList()
    for (unit, cue) in cues.enumerated() { list.set([cue], track: cue.track, unit: unit) }
    let ordered = list.cues(of: [0, 1])
    expect(zip(ordered, ordered.dropFirst()).allSatisfy { $0.start <= $1.start }, "a list is in order")
    expect(ordered.allSatisfy { cue in cue.end.map { $0 >= cue.start } ?? true }, "no cue ends before it starts")
    var again = CueList()
    for (unit, cue) in cues.enumerated().reversed() { again.set([cue], track: cue.track, unit: unit) }
    expect(again.cues(of: [0, 1]) == ordered, "the order in which units come changes nothing")
    for (number, cue) in ordered.enumerated() {
        expect(!SubRipWriter.block(cue, number: number).dropLast(2).contains("\n\n"), "a block ends once")
        expect(!WebVTTWriter.block(cue).dropLast(2).contains("\n\n"), "a block ends once")
        expect(ASSWriter.line(cue).filter { $0 == "\n" }.count == 1, "an event is one line")
    }
}
