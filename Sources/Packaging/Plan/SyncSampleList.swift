// SPDX-License-Identifier: Apache-2.0

/// The list of sync samples at the end of a movie in fragments (`mfra`, ISO/IEC 14496-12 §8.8.9).
struct SyncSampleList {
    private struct Entry {
        var time: Int64
        /// The file offset of the fragment.
        var position: Int64
    }

    /// By track ID, in the order of their times.
    private var entries: [UInt32: [Entry]] = [:]

    /// A list without entries.
    init() {}

    /// - Parameter bytes: the `mfra` box.
    init(_ bytes: [UInt8]) {
        let span = bytes.span
        guard let mfra = span.box("mfra", in: 0..<span.count) else { return }
        for tfra in span.boxes("tfra", in: mfra) where tfra.count >= 16 {
            let isLong = span.isLong(tfra)
            let lengths = Int(span.bigEndian32(at: tfra.lowerBound + 8) & 0x3F)
            let size = (isLong ? 16 : 8) + 3 + (lengths >> 4) + (lengths >> 2 & 3) + (lengths & 3)
            let count = min(Int(span.bigEndian32(at: tfra.lowerBound + 12)), (tfra.count - 16) / size)
            func number(_ at: Int) -> Int64 {
                isLong ? span.bigEndian64(at: at) & .max : Int64(span.bigEndian32(at: at))
            }
            let found = (0..<count).map { index in
                let at = tfra.lowerBound + 16 + index * size
                return Entry(time: number(at), position: number(at + (isLong ? 8 : 4)))
            }
            entries[span.bigEndian32(at: tfra.lowerBound + 4)] = found.sorted { $0.time < $1.time }
        }
    }

    /// The position of the fragment with the last listed sync sample of a track at or before a time.
    func position(of track: UInt32, atOrBefore time: Int64) -> Int64? {
        entries[track]?.last { $0.time <= time }?.position
    }

    /// The greatest of the positions of the fragments with the last listed sync sample of each track. `nil` if none is
    /// listed.
    func lastPosition(of tracks: Set<UInt32>) -> Int64? {
        tracks.compactMap { entries[$0]?.last?.position }.max()
    }
}
