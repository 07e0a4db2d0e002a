// SPDX-License-Identifier: Apache-2.0

/// The byte stream format of ITU-T H.264 and H.265, Annex B.
enum AnnexB {
    /// The position of the next `00 00 01` at or after `start`.
    static func startCode(in bytes: Span<UInt8>, from start: Int) -> Int? {
        let end = bytes.count - 2
        var index = start
        while index < end {
            let third = bytes[index + 2]
            if third > 1 {
                index += 3
            } else if third == 0 {
                index += 1
            } else if bytes[index] == 0 && bytes[index + 1] == 0 {
                return index
            } else {
                index += 3
            }
        }
        return nil
    }

    /// The position of the start code of the first NAL unit whose first byte `isPicture` accepts; the end of `bytes` if
    /// there is none.
    static func headEnd(of bytes: Span<UInt8>, isPicture: (UInt8) -> Bool) -> Int {
        var start = 0
        while let code = startCode(in: bytes, from: start), code + 3 < bytes.count {
            if isPicture(bytes[code + 3]) { return code }
            start = code + 3
        }
        return bytes.count
    }

    /// The ranges of the NAL units, without start codes and trailing zero bytes. Bytes before the first start code are
    /// ignored, and empty units are omitted.
    static func units(in bytes: Span<UInt8>) throws(PackagingError) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        guard var code = startCode(in: bytes, from: 0) else {
            if bytes.isEmpty { return [] }
            throw PackagingError(.malformed, "a packet of \(bytes.count) bytes contains no start code")
        }
        while true {
            let begin = code + 3
            let next = startCode(in: bytes, from: begin)
            var end = next ?? bytes.count
            while end > begin, bytes[end - 1] == 0 { end -= 1 }
            if end > begin { ranges.append(begin..<end) }
            guard ranges.count <= NALFraming.unitLimit else {
                throw PackagingError(.limitExceeded, "a packet contains more than \(NALFraming.unitLimit) NAL units")
            }
            guard let next else { return ranges }
            code = next
        }
    }
}
