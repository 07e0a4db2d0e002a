// SPDX-License-Identifier: Apache-2.0

import EngineModel

@testable import Bindings
@testable import Packaging
@testable import Reading

/// The input is a document in XML, or a segment of fragmented MP4 with text.
func exerciseText(_ bytes: [UInt8]) {
    if let text = FragmentedText(bytes) {
        expect(text.samples.allSatisfy { $0.start <= $0.end }, "no sample ends before it starts")
        _ = text.webVTT
        for sample in text.samples.prefix(16) { exerciseDocument(sample.bytes, in: sample) }
        _ = try? SegmentText(bytes)
    }
    exerciseDocument(bytes, in: nil)
}

private func exerciseDocument(_ bytes: [UInt8], in sample: FragmentedText.Sample?) {
    for isUTF8 in [false, true] {
        guard let cues = try? TTMLDocument.read(bytes, isUTF8: isUTF8).cues else { continue }
        expect(zip(cues, cues.dropFirst()).allSatisfy { $0.start <= $1.start }, "cues are in order")
        for cue in cues {
            guard case .text(let text) = cue.content else { continue }
            expect(text.plain == text.runs.map(\.text).joined(), "the runs are the text")
            expect(text.plain.contains { !$0.isWhitespace }, "a cue has text")
            expect((1...9).contains(text.alignment), "an alignment is on the keypad")
            expect(cue.start >= .zero && cue.end.map { $0 > cue.start } ?? false, "a cue lasts")
        }
        if let sample {
            let shown = TTMLText.shown(cues, in: sample)
            let range = MediaTimeRange(start: sample.start, end: sample.end)
            expect(shown.allSatisfy { $0.overlaps(range) }, "what is shown is in the sample")
        }
        _ = TTMLText.subRip(cues)
    }
}
