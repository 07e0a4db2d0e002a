// SPDX-License-Identifier: Apache-2.0

/// major_sync_info of a Dolby TrueHD access unit (Meridian Lossless Packing, FBA format), read only to detect objects.
struct TrueHDMajorSync: Hashable, Sendable {
    /// Substreams in the access unit. Presentations of 2, 6, 8 and 16 channels build on each other.
    let substreams: Int
    /// substream_info: which substreams form which presentation. Its highest bit signals the 16-channel presentation.
    let substreamInfo: Int

    private static let syncWord: UInt32 = 0xF872_6FBA
    private static let signature: UInt32 = 0xB752

    /// - Parameter unit: an access unit, starting at its length. `nil` if it contains no major sync.
    init?(_ unit: [UInt8]) {
        guard let found = try? Self(reading: unit) else { return nil }
        self = found
    }

    private init(reading unit: [UInt8]) throws(PackagingError) {
        var reader = BitReader(Array(unit.prefix(32)), subject: "TrueHD access unit")
        // check_nibble, access_unit_length, input_timing
        try reader.skip(32)
        guard try reader.bits(32) == Self.syncWord else {
            throw PackagingError(.malformed, "a TrueHD access unit has no major sync")
        }
        // format_info
        try reader.skip(32)
        guard try reader.bits(16) == Self.signature else {
            throw PackagingError(.malformed, "a TrueHD major sync has an unknown signature")
        }
        // flags, reserved, variable_rate and peak_data_rate
        try reader.skip(48)
        substreams = try reader.int(4)
        // reserved, extended_substream_info
        try reader.skip(4)
        substreamInfo = try reader.int(8)
    }

    /// Whether the fourth substream carries objects: Dolby Atmos.
    var hasObjects: Bool { substreams >= 4 && substreamInfo & 0x80 != 0 }
}
