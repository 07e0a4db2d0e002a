// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// A view of a range of a source's bytes as if they were a source.
final class PartCursor: ByteCursor {
    private let base: any ByteCursor
    private let part: Range<Int64>

    /// - Parameter part: may extend beyond the end of the source.
    init(_ base: any ByteCursor, part: Range<Int64>) {
        self.base = base
        self.part = part
    }

    var byteCount: Int64 { max(0, min(base.byteCount, part.upperBound) - part.lowerBound) }
    var isGrowing: Bool { base.isGrowing && part.upperBound > base.byteCount }

    func expect(_ ranges: [Range<Int64>]) {
        base.expect(ranges.map { inBase($0.lowerBound)..<inBase($0.upperBound) })
    }

    private func inBase(_ offset: Int64) -> Int64 { min(offset, part.upperBound - part.lowerBound) + part.lowerBound }

    func read(at offset: Int64, into output: inout OutputRawSpan) throws(EngineError) -> Int {
        let place = inBase(offset)
        let room = part.upperBound - place
        guard room < output.freeCapacity else { return try base.read(at: place, into: &output) }
        guard room > 0 else { return 0 }
        let bytes = try base.read(at: place, count: Int(room))
        bytes.copy(0..<bytes.count, to: &output)
        return bytes.count
    }
}
