// SPDX-License-Identifier: Apache-2.0

/// Colour metadata, `vdr_dm_data_payload` up to its extension blocks.
package struct RPUColor: Hashable, Sendable {
    /// The fields omitted when the metadata is compressed; their earlier values then still apply.
    package struct Signal: Hashable, Sendable {
        /// A 3 × 3 matrix, row by row, in steps of 2^-13.
        package var toRGB: [Int16]
        /// In steps of 2^-28.
        package var toRGBOffset: [UInt32]
        /// A 3 × 3 matrix, row by row, in steps of 2^-14.
        package var toLMS: [Int16]
        /// `signal_eotf` and its three parameters.
        package var transfer: [UInt32]
        package var bitDepth: UInt32
        package var colorSpace: UInt32
        package var chromaFormat: UInt32
        package var fullRange: UInt32
        /// The black and peak luminance of the mastering display, as 12-bit PQ codes.
        package var minimumPQ: UInt32
        package var maximumPQ: UInt32
        /// The diagonal of the mastering display, in inches.
        package var diagonal: UInt32

        private static let transferWidths = [16, 16, 16, 32]

        init(_ reader: inout BitReader) throws(PackagingError) {
            toRGB = try Self.matrix(&reader)
            toRGBOffset = []
            for _ in 0..<3 { toRGBOffset.append(try reader.bits(32)) }
            toLMS = try Self.matrix(&reader)
            transfer = []
            for width in Self.transferWidths { transfer.append(try reader.bits(width)) }
            bitDepth = try reader.bits(5)
            colorSpace = try reader.bits(2)
            chromaFormat = try reader.bits(2)
            fullRange = try reader.bits(2)
            minimumPQ = try reader.bits(12)
            maximumPQ = try reader.bits(12)
            diagonal = try reader.bits(10)
        }

        private static func matrix(_ reader: inout BitReader) throws(PackagingError) -> [Int16] {
            var values: [Int16] = []
            for _ in 0..<9 { values.append(Int16(truncatingIfNeeded: try reader.bits(16))) }
            return values
        }

        func write(to writer: inout BitWriter) {
            for value in toRGB { writer.bits(UInt32(UInt16(bitPattern: value)), 16) }
            for value in toRGBOffset { writer.bits(value, 32) }
            for value in toLMS { writer.bits(UInt32(UInt16(bitPattern: value)), 16) }
            for (value, width) in zip(transfer, Self.transferWidths) { writer.bits(value, width) }
            writer.bits(bitDepth, 5)
            writer.bits(colorSpace, 2)
            writer.bits(chromaFormat, 2)
            writer.bits(fullRange, 2)
            writer.bits(minimumPQ, 12)
            writer.bits(maximumPQ, 12)
            writer.bits(diagonal, 10)
        }
    }

    package var affectedID: Int
    package var currentID: Int
    package var sceneRefresh: Int
    package var signal: Signal?
    /// The number of version 2.9 extension blocks, at the start of `RPU.extensions`.
    package var blockCount: Int

    private static let compressed = 1

    init(_ reader: inout BitReader, _ header: RPUHeader) throws(PackagingError) {
        affectedID = try reader.unsignedExpGolomb(atMost: 15, "affected_dm_metadata_id")
        currentID = try reader.unsignedExpGolomb(atMost: 15, "current_dm_metadata_id")
        sceneRefresh = try reader.unsignedExpGolomb(atMost: 0xFFFF, "scene_refresh_flag")
        if header.colorCompression != Self.compressed { signal = try Signal(&reader) }
        blockCount = try reader.unsignedExpGolomb(atMost: 255, "num_ext_blocks")
    }

    func write(to writer: inout BitWriter) {
        writer.unsignedExpGolomb(affectedID)
        writer.unsignedExpGolomb(currentID)
        writer.unsignedExpGolomb(sceneRefresh)
        signal?.write(to: &writer)
        writer.unsignedExpGolomb(blockCount)
    }
}
