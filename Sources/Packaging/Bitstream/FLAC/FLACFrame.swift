// SPDX-License-Identifier: Apache-2.0

/// The header of a FLAC frame, RFC 9639 §9.1.
package enum FLACFrame {
    /// The sample rate of a stream, from its codec private data; `nil` if that is not STREAMINFO.
    package static func sampleRate(ofStream extradata: [UInt8]) -> Int? {
        do throws(PackagingError) {
            return try FLACStreamInfo(extradata: extradata).sampleRate
        } catch {
            return nil
        }
    }

    /// Samples per channel in the frame that starts at `packet`'s first byte; `nil` if it is not a frame.
    ///
    /// - Parameter packet: the frame, or its first 16 bytes.
    package static func sampleCount(_ packet: Span<UInt8>) -> Int? {
        guard packet.count >= 5, packet[0] == 0xFF, packet[1] & 0xFE == 0xF8 else { return nil }
        let code = Int(packet[2] >> 4)
        switch code {
        case 1: return 192
        case 2...5: return 576 << (code - 2)
        case 8...15: return 256 << (code - 8)
        case 6, 7:
            // The uncommon block size follows the frame number, which is coded like UTF-8.
            let numberByteCount = max(1, (~packet[4]).leadingZeroBitCount)
            let index = 4 + numberByteCount
            guard numberByteCount <= 7, packet.count > index + (code - 6) else { return nil }
            return code == 6 ? Int(packet[index]) + 1 : (Int(packet[index]) << 8 | Int(packet[index + 1])) + 1
        default: return nil
        }
    }
}
