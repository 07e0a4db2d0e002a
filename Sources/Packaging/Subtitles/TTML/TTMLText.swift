// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Writes the cues of TTML documents as SubRip, which libavformat reads.
package enum TTMLText {
    package static func subRip(_ cues: [Cue]) -> [UInt8] {
        Array(cues.enumerated().map { SubRipWriter.block($0.element, number: $0.offset + 1) }.joined().utf8)
    }

    /// The cues that a document in a sample of fragmented MP4 shows during the sample (ISO/IEC 14496-30 §5). They keep
    /// their own times, so that a cue that is repeated in the next sample is still the same cue.
    ///
    /// - Parameter cues: the cues of the document, whose times count from the start of the track. Some packagers let
    ///   them count from the start of the sample instead: if no cue would be shown otherwise, the times are converted.
    package static func shown(_ cues: [Cue], in sample: FragmentedText.Sample) -> [Cue] {
        let range = MediaTimeRange(start: sample.start, end: sample.end)
        let shown = cues.filter { $0.overlaps(range) }
        guard shown.isEmpty, sample.start > .zero else { return shown }
        let length = MediaTimeRange(start: .zero, end: sample.end - sample.start)
        guard cues.allSatisfy({ $0.overlaps(length) }) else { return [] }
        return cues.map { $0.shifted(by: sample.start) }
    }
}
