// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg
internal import EngineModel

/// Chunks of PNG that libavcodec does not write.
enum PNGChunks {
    /// The signature and `IHDR`, behind which `cICP` has its place.
    private static let headerSize = 8 + 25

    /// Adds the code points of ITU-T H.273: primaries, transfer, matrix, range (PNG third edition, §11.3.2.6).
    static func tagged(_ file: [UInt8], _ color: ColorDescription) -> [UInt8] {
        guard file.count > headerSize else { return file }
        let points = [color.primaries, color.transfer, color.matrix, color.isFullRange ? 1 : 0]
        let chunk = chunk("cICP", points.map { UInt8(truncatingIfNeeded: $0) })
        return Array(file[..<headerSize]) + chunk + Array(file[headerSize...])
    }

    /// Length, type, data, and the checksum of the last two.
    static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
        let body = Array(type.utf8) + data
        let checksum = unsafe ~av_crc(av_crc_get_table(AV_CRC_32_IEEE_LE), UInt32.max, body, body.count)
        return bigEndian(UInt32(data.count)) + body + bigEndian(checksum)
    }

    private static func bigEndian(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> UInt32($0)) }
    }
}
