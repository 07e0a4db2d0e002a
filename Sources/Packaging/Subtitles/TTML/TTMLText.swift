// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Writes the cues of TTML documents as SubRip, which libavformat reads.
package enum TTMLText {
    package static func subRip(_ cues: [Cue]) -> [UInt8] {
        Array(cues.enumerated().map { SubRipWriter.block($0.element, number: $0.offset + 1) }.joined().utf8)
    }

    /// The cues of a document in a sample of fragmented MP4. They are shown during the sample only (ISO/IEC 14496-30 §5),
    /// but keep their times, so that a cue that is repeated in the next sample is the same cue.
    ///
    /// - Parameter cues: of the document, whose times count from the start of the track. Some packagers let them count
    ///   from the start of the sample: if none would be shown otherwise, they are moved.
    package static func shown(_ cues: [Cue], in sample: FragmentedText.Sample) -> [Cue] {
        let range = MediaTimeRange(start: sample.start, end: sample.end)
        let shown = cues.filter { $0.overlaps(range) }
        guard shown.isEmpty, sample.start > .zero else { return shown }
        let length = MediaTimeRange(start: .zero, end: sample.end - sample.start)
        guard cues.allSatisfy({ $0.overlaps(length) }) else { return [] }
        return cues.map { $0.shifted(by: sample.start) }
    }
}
