// SPDX-License-Identifier: Apache-2.0

/// The `ctts` table of one track: each sample's presentation time minus its decode time (ISO/IEC 14496-12 §8.6.1.3).
package struct CompositionOffsets: Sendable {
    /// One offset per sample, in decode order. Empty if the track has no such box; every offset is then 0.
    package let offsets: [Int32]

    package init(offsets: [Int32]) { self.offsets = offsets }

    package subscript(sample: Int) -> Int64 { offsets.isEmpty ? 0 : Int64(offsets[sample]) }

    /// The shift that libavformat adds for negative offsets, so that no decode time is later than its presentation
    /// time.
    package var decodeShift: Int64 { max(0, -Int64(offsets.min() ?? 0)) }

    /// Finds the table of track `trackNumber` (counted from 0) in the bytes of a `moov` box.
    ///
    /// - Parameter sampleCount: the number of samples in the track. A table of a different length is rejected.
    /// - Returns: `nil` if the boxes are malformed or the length does not match.
    package static func find(inMovie movie: [UInt8], trackNumber: Int, sampleCount: Int) -> CompositionOffsets? {
        let span = movie.span
        guard let moov = span.box("moov", in: 0..<span.count) else { return nil }
        var tracks = 0
        for trak in span.boxes("trak", in: moov) where span.box("mdia", in: trak) != nil {
            defer { tracks += 1 }
            guard tracks == trackNumber else { continue }
            var range = trak
            for name in ["mdia", "minf", "stbl"] {
                guard let inner = span.box(name, in: range) else { return nil }
                range = inner
            }
            guard let table = span.box("ctts", in: range) else { return CompositionOffsets(offsets: []) }
            return parse(span, table, sampleCount: sampleCount)
        }
        return nil
    }

    private static func parse(_ span: Span<UInt8>, _ range: Range<Int>, sampleCount: Int) -> CompositionOffsets? {
        guard range.count >= 8 else { return nil }
        let runs = Int(span.bigEndian32(at: range.lowerBound + 4))
        guard runs <= (range.count - 8) / 8 else { return nil }
        var offsets: [Int32] = []
        offsets.reserveCapacity(min(sampleCount, 1 << 24))
        for run in 0..<runs {
            let at = range.lowerBound + 8 + run * 8
            let count = Int(span.bigEndian32(at: at))
            guard count <= sampleCount - offsets.count else { return nil }
            let offset = Int32(bitPattern: span.bigEndian32(at: at + 4))
            offsets.append(contentsOf: repeatElement(offset, count: count))
        }
        return offsets.count == sampleCount ? CompositionOffsets(offsets: offsets) : nil
    }
}
