// SPDX-License-Identifier: Apache-2.0

/// major_sync_info of a Dolby TrueHD access unit (Meridian Lossless Packing, FBA format), read only to detect objects.
struct TrueHDMajorSync: Hashable, Sendable {
    /// Substreams in the access unit. Presentations of 2, 6, 8 and 16 channels build on each other.
    let substreams: Int
    /// substream_info: which substreams form which presentation. Its highest bit signals the 16-channel presentation.
    let substreamInfo: Int

    /// Bytes of an access unit up to and including substream_info.
    private static let length = 22
    private static let syncWord: [UInt8] = [0xF8, 0x72, 0x6F, 0xBA]
    private static let signature: [UInt8] = [0xB7, 0x52]

    /// - Parameter unit: an access unit, starting at its length. `nil` if it contains no major sync.
    init?(_ unit: [UInt8]) {
        // Bytes 0 to 3 are check_nibble, access_unit_length and input_timing, 8 to 11 format_info, 14 to 19 flags,
        // reserved bits, variable_rate and peak_data_rate.
        guard unit.count >= Self.length, unit[4..<8].elementsEqual(Self.syncWord),
            unit[12..<14].elementsEqual(Self.signature)
        else { return nil }
        // The lower half of the byte is reserved bits and extended_substream_info.
        substreams = Int(unit[20] >> 4)
        substreamInfo = Int(unit[21])
    }

    /// Whether the fourth substream carries objects: Dolby Atmos.
    var hasObjects: Bool { substreams >= 4 && substreamInfo & 0x80 != 0 }
}
