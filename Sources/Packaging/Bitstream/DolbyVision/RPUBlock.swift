// SPDX-License-Identifier: Apache-2.0

/// One extension block of the colour metadata, such as the luminance of a picture (L1) or a trim for a display (L2,
/// L8).
package struct RPUBlock: Hashable, Sendable {
    package var level: Int
    /// Bit range relative to the start of `RPU.extensions`.
    package var bits: Range<Int>

    private static let levelLimit = 255
    /// A version 4.0 set has at least this many bits: its count and one block.
    private static let smallestSet = 16

    /// The blocks at the start of `extensions`: `count` blocks of version 2.9, then those of version 4.0 after their
    /// own count.
    ///
    /// - Throws: if a version 2.9 block extends beyond the end. Data after them that is not a version 4.0 set is kept
    ///   but not parsed.
    static func read(_ extensions: [UInt8], count: Int) throws(PackagingError) -> [RPUBlock] {
        var reader = BitReader(extensions, subject: "RPU extension")
        var blocks: [RPUBlock] = []
        for _ in 0..<count { blocks.append(try RPUBlock(&reader)) }
        guard reader.remaining >= smallestSet else { return blocks }
        do throws(PackagingError) {
            blocks += try newer(reader)
        } catch {
            // Not a version 4.0 set.
        }
        return blocks
    }

    private static func newer(_ source: BitReader) throws(PackagingError) -> [RPUBlock] {
        var reader = source
        let count = try reader.unsignedExpGolomb(atMost: levelLimit, "num_ext_blocks")
        reader.alignToByte()
        var blocks: [RPUBlock] = []
        for _ in 0..<count { blocks.append(try RPUBlock(&reader)) }
        return blocks
    }

    private init(_ reader: inout BitReader) throws(PackagingError) {
        let length = try reader.unsignedExpGolomb(atMost: RawPayload.byteLimit, "ext_block_length")
        level = try reader.int(8)
        let start = reader.position
        try reader.skip(length * 8)
        bits = start..<reader.position
    }
}
