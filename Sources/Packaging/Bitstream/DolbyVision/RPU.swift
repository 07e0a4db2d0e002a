// SPDX-License-Identifier: Apache-2.0

/// A reference processing unit: Dolby Vision metadata for one picture. In HEVC, a NAL unit of type 62 (ETSI GS CCM
/// 001).
///
/// Parsing and writing are lossless, bit by bit. A plain value that can be compared and modified.
package struct RPU: Hashable, Sendable {
    package var header: RPUHeader
    /// `nil` if the mapping of an earlier RPU applies.
    package var mapping: RPUMapping?
    package var color: RPUColor?
    /// The bytes from the first byte boundary after the known fields up to the checksum: extension blocks and anything
    /// after them.
    package var extensions: [UInt8]
    /// Zero bytes after the last bit of the unit, as received.
    package var padding: [UInt8]

    static let prefix: UInt8 = 0x19
    /// The last byte: a one bit followed by zeros (`rbsp_trailing_bits`).
    private static let stop: UInt8 = 0x80
    private static let unitHeader: [UInt8] = [HEVC.referenceProcessingUnit << 1, 1]

    /// Parses a complete NAL unit, including its two-byte header.
    ///
    /// - Throws: `malformed` if the checksum does not match.
    package init(unit: [UInt8]) throws(PackagingError) {
        let end = Self.end(of: unit)
        try self.init(bytes: try RawPayload.unescaped(Array(unit[..<end].dropFirst(2))), padding: Array(unit[end...]))
    }

    /// Parses the bytes of a unit between its header and its padding, without emulation prevention.
    init(bytes: [UInt8], padding: [UInt8] = []) throws(PackagingError) {
        self.padding = padding
        guard bytes.count > 6, bytes[0] == Self.prefix, bytes.last == Self.stop else {
            throw PackagingError(.malformed, "RPU: \(bytes.count) bytes are not an RPU")
        }
        let body = bytes[1..<(bytes.count - 5)]
        let checksum = bytes[body.endIndex..<(bytes.count - 1)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        guard CRC32.checksum(of: body) == checksum else { throw PackagingError(.malformed, "RPU: checksum mismatch") }
        var reader = BitReader(Array(body), subject: "RPU")
        header = try RPUHeader(&reader)
        if header.previousID == nil { mapping = try RPUMapping(&reader, header) }
        if header.hasColorMetadata { color = try RPUColor(&reader, header) }
        guard try reader.bits(-reader.position & 7) == 0 else {
            throw PackagingError(.malformed, "RPU: alignment bits are set")
        }
        extensions = Array(body.dropFirst(reader.position / 8))
        _ = try blocks()
    }

    /// The NAL unit, with its header, checksum and emulation prevention bytes.
    package func unit() -> [UInt8] {
        var writer = BitWriter()
        header.write(to: &writer)
        mapping?.write(to: &writer, header)
        color?.write(to: &writer)
        writer.alignToByte()
        writer.append(extensions)
        let checksum = CRC32.checksum(of: writer.bytes[...])
        writer.bits(checksum, 32)
        writer.bits(UInt32(Self.stop), 8)
        return Self.unitHeader + EscapedPayload.escaped([Self.prefix] + writer.bytes) + padding
    }

    /// The extension blocks at the start of `extensions`.
    package func blocks() throws(PackagingError) -> [RPUBlock] {
        try RPUBlock.read(extensions, count: color?.blockCount ?? 0)
    }

    /// The end of the unit without its padding. The padding is zero bytes, and the emulation prevention byte 3 that
    /// must follow them at the end of a unit.
    private static func end(of unit: [UInt8]) -> Int {
        var end = unit.count
        if unit.suffix(3) == [0, 0, 3] { end -= 1 }
        while end > 0, unit[end - 1] == 0 { end -= 1 }
        return end
    }
}
