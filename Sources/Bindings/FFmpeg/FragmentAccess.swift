// SPDX-License-Identifier: Apache-2.0

/// How the fragments of an MP4 file are found (ISO/IEC 14496-12 §8.8).
package enum FragmentAccess: Sendable {
    /// The demuxer reads the headers of all fragments, or an index of them, when it opens the source.
    case listed
    /// The demuxer reads the header of a fragment when reading reaches it (`AVFMT_FLAG_IGNIDX`). Seeks reach only
    /// fragments read before.
    case followed
    /// As `followed`, but the demuxer skips these bytes, which are whole boxes: it begins with the fragment after
    /// them.
    case entered(after: Range<Int64>)

    /// The demuxer begins with the fragment at a position, unless too few bytes precede it to be skipped as a box.
    ///
    /// - Parameter start: the end of the movie's header.
    package static func entered(at position: Int64, skippingFrom start: Int64) -> Self {
        position - start < Int64(SkippingCursor.headerByteCount) ? .followed : .entered(after: start..<position)
    }

    var skipped: Range<Int64>? { if case .entered(let range) = self { range } else { nil } }

    var ignoresIndex: Bool { if case .listed = self { false } else { true } }
}
