// SPDX-License-Identifier: Apache-2.0

/// An index of consecutive fragments (`sidx`, ISO/IEC 14496-12 §8.16.3).
package enum SegmentIndex {
    /// Where the listed fragments end in the file. `nil` if the box is damaged, or lists other indexes.
    ///
    /// - Parameters:
    ///   - box: the whole box.
    ///   - position: that of the box.
    package static func end(inBox box: [UInt8], at position: Int64) -> Int64? {
        let span = box.span
        guard let content = span.box("sidx", in: 0..<span.count), content.count >= 24 else { return nil }
        let isLong = span[content.lowerBound] == 1
        // After flags, track ID and timescale: the earliest time, and the distance to the first fragment.
        let distance = content.lowerBound + 12 + (isLong ? 8 : 4)
        let entries = distance + (isLong ? 8 : 4) + 4
        guard entries <= content.upperBound, !isLong || span.bigEndian32(at: distance) == 0 else { return nil }
        var end = position + Int64(box.count) + Int64(span.bigEndian32(at: distance + (isLong ? 4 : 0)))
        let count = Int(span.bigEndian32(at: entries - 4) & 0xFFFF)
        guard count > 0, count <= (content.upperBound - entries) / 12 else { return nil }
        for index in 0..<count {
            let size = span.bigEndian32(at: entries + 12 * index)
            guard size >> 31 == 0 else { return nil }
            end += Int64(size)
        }
        return end
    }
}
