// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// A view of an MP4 file in which a range of bytes is a `free` box (ISO/IEC 14496-12 §8.1.2), so that a demuxer skips
/// it. All other bytes keep their positions.
final class SkippingCursor: ByteCursor {
    /// The length of a box header with a size of 64 bits (§4.2).
    static let headerByteCount = 16
    /// The most bytes of the box that one read returns. Demuxers read only its first bytes.
    private static let contentByteCount = 64

    private let base: any ByteCursor
    private let skipped: Range<Int64>
    private let header: [UInt8]

    /// - Parameter skipped: one or more whole boxes of the file, at least 16 bytes.
    init(_ base: any ByteCursor, skipping skipped: Range<Int64>) {
        precondition(skipped.count >= Self.headerByteCount)
        self.base = base
        self.skipped = skipped
        header =
            [0, 0, 0, 1] + Array("free".utf8)
            + (0..<8).map { UInt8(truncatingIfNeeded: skipped.count >> (56 - 8 * $0)) }
    }

    var byteCount: Int64 { base.byteCount }
    var isGrowing: Bool { base.isGrowing }

    func expect(_ ranges: [Range<Int64>]) { base.expect(ranges) }

    func read(at offset: Int64, into output: inout OutputRawSpan) throws(EngineError) -> Int {
        if skipped.contains(offset) {
            let start = Int(offset - skipped.lowerBound)
            let count = min(output.freeCapacity, Int(skipped.upperBound - offset), Self.contentByteCount)
            let bytes = (start..<start + count).map { $0 < header.count ? header[$0] : 0 }
            bytes.copy(0..<count, to: &output)
            return count
        }
        guard offset < skipped.lowerBound, offset + Int64(output.freeCapacity) > skipped.lowerBound else {
            return try base.read(at: offset, into: &output)
        }
        let bytes = try base.read(at: offset, count: Int(skipped.lowerBound - offset))
        bytes.copy(0..<bytes.count, to: &output)
        return bytes.count
    }
}
