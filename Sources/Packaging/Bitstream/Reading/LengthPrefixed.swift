// SPDX-License-Identifier: Apache-2.0

/// NAL units preceded by their length, ISO/IEC 14496-15 §5.3.2.
enum LengthPrefixed {
    /// The length field at `index`, or `nil` if the bytes end within it.
    static func length(in bytes: Span<UInt8>, at index: Int, size: Int) -> Int? {
        guard index >= 0, size <= bytes.count - index else { return nil }
        var value = 0
        for offset in 0..<size { value = value << 8 | Int(bytes[index + offset]) }
        return value
    }

    static func units(in bytes: Span<UInt8>, lengthSize: Int) throws(PackagingError) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var index = 0
        while index < bytes.count {
            guard let length = length(in: bytes, at: index, size: lengthSize),
                length <= bytes.count - index - lengthSize
            else {
                throw PackagingError(
                    .truncated,
                    "a NAL unit length at byte \(index) of \(bytes.count) runs past the end"
                )
            }
            let start = index + lengthSize
            if length > 0 { ranges.append(start..<(start + length)) }
            guard ranges.count <= NALFraming.unitLimit else {
                throw PackagingError(.limitExceeded, "a packet contains more than \(NALFraming.unitLimit) NAL units")
            }
            index = start + length
        }
        return ranges
    }
}
