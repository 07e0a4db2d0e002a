// SPDX-License-Identifier: Apache-2.0

/// Locates boxes by position in the bytes of a movie (ISO/IEC 14496-12 §4.2).
extension Span<UInt8> {
    /// The content of the first box of a type in a byte range.
    func box(_ type: String, in range: Range<Int>) -> Range<Int>? { boxes(type, in: range, limit: 1).first }

    /// The contents of the boxes of a type in a byte range, at most `limit` (ISO/IEC 14496-12 §4.2).
    func boxes(_ type: String, in range: Range<Int>, limit: Int = 256) -> [Range<Int>] {
        let wanted = type.utf8.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        var found: [Range<Int>] = []
        var at = range.lowerBound
        while at + 8 <= range.upperBound, found.count < limit {
            var header = 8
            var size = Int(bigEndian32(at: at))
            if size == 1, at + 16 <= range.upperBound {
                size = Int(clamping: UInt64(bigEndian32(at: at + 8)) << 32 | UInt64(bigEndian32(at: at + 12)))
                header = 16
            }
            if size == 0 { size = range.upperBound - at }
            guard size >= header, size <= range.upperBound - at else { return found }
            if bigEndian32(at: at + 4) == wanted { found.append(at + header..<at + size) }
            at += size
        }
        return found
    }

    /// The content of the `stbl` box of track `trackNumber` (counted from 0).
    func sampleTable(ofTrack trackNumber: Int) -> Range<Int>? {
        guard let moov = box("moov", in: 0..<count) else { return nil }
        let tracks = boxes("trak", in: moov).filter { box("mdia", in: $0) != nil }
        guard tracks.indices.contains(trackNumber) else { return nil }
        var range = tracks[trackNumber]
        for name in ["mdia", "minf", "stbl"] {
            guard let inner = box(name, in: range) else { return nil }
            range = inner
        }
        return range
    }

    /// A 32-bit number in the content of a box; `nil` if the box is too short.
    func number(in box: Range<Int>, at offset: Int) -> UInt32? {
        offset + 4 <= box.count ? bigEndian32(at: box.lowerBound + offset) : nil
    }

    /// Whether a full box is of version 1, with 64-bit times.
    func isLong(_ box: Range<Int>) -> Bool { !box.isEmpty && self[box.lowerBound] == 1 }

    func bigEndian32(at index: Int) -> UInt32 {
        UInt32(self[index]) << 24 | UInt32(self[index + 1]) << 16 | UInt32(self[index + 2]) << 8
            | UInt32(self[index + 3])
    }

    func bigEndian64(at index: Int) -> Int64 {
        Int64(bitPattern: UInt64(bigEndian32(at: index)) << 32 | UInt64(bigEndian32(at: index + 4)))
    }
}
