// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg

/// PNG chunks that libavcodec does not write.
enum PNGChunks {
    /// The signature and `IHDR`. `cICP` follows them.
    private static let headerSize = 8 + 25

    /// Adds a `cICP` chunk with the ITU-T H.273 code points: primaries, transfer, matrix, range (PNG third edition,
    /// §11.3.2.6).
    ///
    /// - Parameter frame: the frame in the file, tagged with its colours. The chunk declares matrix 0 and full
    ///   range.
    static func tagged(_ file: [UInt8], as frame: VideoFrame) -> [UInt8] {
        guard file.count > headerSize else { return file }
        let (primaries, transfer) = unsafe frame.withPointer {
            unsafe ($0.pointee.color_primaries.rawValue, $0.pointee.color_trc.rawValue)
        }
        let points = [UInt8(truncatingIfNeeded: primaries), UInt8(truncatingIfNeeded: transfer), 0, 1]
        return Array(file[..<headerSize]) + chunk("cICP", points) + Array(file[headerSize...])
    }

    /// A chunk: length, type, data, and the CRC of type and data.
    static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
        let body = Array(type.utf8) + data
        let checksum = unsafe ~av_crc(av_crc_get_table(AV_CRC_32_IEEE_LE), UInt32.max, body, body.count)
        return bigEndian(UInt32(data.count)) + body + bigEndian(checksum)
    }

    private static func bigEndian(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> UInt32($0)) }
    }
}
