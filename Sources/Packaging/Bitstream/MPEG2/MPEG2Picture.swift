// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// MPEG-2 video (ISO/IEC 13818-2): for how long its pictures are shown.
package enum MPEG2Picture {
    private static let extensionCode: UInt8 = 0xB5
    private static let sequence: UInt8 = 1
    private static let coding: UInt8 = 8
    private static let (firstSlice, lastSlice): (UInt8, UInt8) = (0x01, 0xAF)

    /// The number of fields for which the frame of a packet is shown: 2, or 3 if the first one is repeated (6.3.10).
    ///
    /// - Returns: `nil` if the packet contains no frame or only a single field, or if its sequence extension declares a
    ///   progressive sequence, which repeats whole frames instead of fields. Most packets have no sequence extension.
    package static func fieldCount(_ bytes: Span<UInt8>) -> Int? {
        var at = AnnexB.startCode(in: bytes, from: 0)
        while let code = at, code + 8 < bytes.count {
            if bytes[code + 3] == extensionCode {
                switch bytes[code + 4] >> 4 {
                case sequence: if bytes[code + 5] & 0x08 != 0 { return nil }
                case coding:
                    guard bytes[code + 6] & 3 == 3 else { return nil }
                    return bytes[code + 7] & 0x02 != 0 ? 3 : 2
                default: break
                }
            }
            at = AnnexB.startCode(in: bytes, from: code + 3)
        }
        return nil
    }

    /// Whether the sequence header in a packet declares a progressive sequence, in which every picture is a progressive
    /// frame (6.3.5). `nil` if the packet has no sequence extension.
    package static func isSequenceProgressive(_ bytes: Span<UInt8>) -> Bool? {
        var at = AnnexB.startCode(in: bytes, from: 0)
        while let code = at, code + 5 < bytes.count {
            if bytes[code + 3] == extensionCode, bytes[code + 4] >> 4 == sequence { return bytes[code + 5] & 0x08 != 0 }
            // Slices follow the headers.
            if (firstSlice...lastSlice).contains(bytes[code + 3]) { return nil }
            at = AnnexB.startCode(in: bytes, from: code + 3)
        }
        return nil
    }

    /// The frame rate of film in a video that repeats fields to reach its declared rate (3:2 pulldown): four frames of
    /// film take the time of five frames of video.
    ///
    /// - Parameter fields: the field counts (`fieldCount`) of consecutive frames, in coding order.
    /// - Returns: `nil` for any other video, for a video in which film and video alternate, and for fewer than eight
    ///   frames.
    package static func originalRate(_ rate: Ratio, fields: [Int]) -> Ratio? {
        // In film, every other frame is shown for three fields. The sum may be off by one field, because the frames at
        // both ends are not coded in the order in which they are shown.
        let excess = 2 * fields.reduce(0, +) - 5 * fields.count
        guard fields.count >= enough, abs(excess) <= 2 else { return nil }
        return Ratio(rate.numerator * 4, rate.denominator * 5)
    }

    private static let enough = 8
}
