// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// The sample entry of each sample of a video track that has several entries (ISO/IEC 14496-12 §8.5.2, §8.7.4).
package struct SampleDescriptions: Hashable, Sendable {
    /// Samples from `firstSample` on use the configuration `record`.
    package struct Run: Hashable, Sendable {
        package var firstSample: Int
        /// The payload of the entry's `avcC`, `hvcC` or `av1C`.
        package var record: [UInt8]
    }

    /// In order; adjacent runs have different records.
    package let runs: [Run]

    private static let entryLimit = 64
    private static let recordLimit = 1 << 16
    /// Size of the fields of VisualSampleEntry before its boxes.
    private static let entryHeader = 78

    /// The configuration of a sample.
    package func record(of sample: Int) -> [UInt8]? { runs.last { $0.firstSample <= sample }?.record }

    /// Reads the tables of track `trackNumber` (counted from 0) in the bytes of a `moov` box.
    ///
    /// - Returns: `nil` for a track with one entry, or if the boxes are malformed. Callers then use the demuxer's
    ///   configuration.
    package static func find(inMovie movie: [UInt8], trackNumber: Int, codec: CodecID) -> SampleDescriptions? {
        let type: String
        switch codec {
        case .h264: type = "avcC"
        case .hevc: type = "hvcC"
        case .av1: type = "av1C"
        default: return nil
        }
        let span = movie.span
        guard let table = span.sampleTable(ofTrack: trackNumber) else { return nil }
        let records = records(span, table, type)
        guard records.count > 1 else { return nil }
        return runs(span, table, records).map { SampleDescriptions(runs: $0) }
    }

    /// One record per entry; empty for an entry of a different type.
    private static func records(_ span: Span<UInt8>, _ table: Range<Int>, _ type: String) -> [[UInt8]] {
        guard let list = span.box("stsd", in: table), list.count > 8 else { return [] }
        var records: [[UInt8]] = []
        var at = list.lowerBound + 8
        while at + 8 <= list.upperBound, records.count < entryLimit {
            let size = Int(span.bigEndian32(at: at))
            guard size >= 8, size <= list.upperBound - at else { break }
            let start = at + 8 + entryHeader
            let record = start < at + size ? span.box(type, in: start..<at + size) : nil
            records.append(record.map { $0.prefix(recordLimit).map { span[$0] } } ?? [])
            at += size
        }
        return records
    }

    /// Computes the runs from `stsc`. Entries are counted from 1.
    private static func runs(_ span: Span<UInt8>, _ table: Range<Int>, _ records: [[UInt8]]) -> [Run]? {
        guard let list = span.box("stsc", in: table), list.count >= 8 else { return nil }
        let count = Int(span.bigEndian32(at: list.lowerBound + 4))
        guard count > 0, count <= (list.count - 8) / 12 else { return nil }
        // Maps entries with identical bytes to one index. Done once here, because a table has far more rows than
        // entries.
        let kinds = records.map { records.firstIndex(of: $0) }
        var runs: [Run] = []
        var kind: Int?
        var sample = 0
        for index in 0..<count {
            let at = list.lowerBound + 8 + index * 12
            let entry = Int(span.bigEndian32(at: at + 8))
            guard records.indices.contains(entry - 1) else { return nil }
            let record = records[entry - 1]
            if record.isEmpty { return nil }
            if kind == nil || kind != kinds[entry - 1] { runs.append(Run(firstSample: sample, record: record)) }
            kind = kinds[entry - 1]
            guard index + 1 < count else { break }
            let chunks = Int(span.bigEndian32(at: at + 12)) - Int(span.bigEndian32(at: at))
            let (samples, overflows) = chunks.multipliedReportingOverflow(by: Int(span.bigEndian32(at: at + 4)))
            guard chunks > 0, !overflows, samples <= Int(Int32.max) - sample else { return nil }
            sample += samples
        }
        return runs
    }
}
