// SPDX-License-Identifier: Apache-2.0

/// STREAMINFO, RFC 9639 §8.2.
struct FLACStreamInfo: Hashable, Sendable {
    /// The 34 bytes. A minimum block size below 16, which the format forbids, is raised to the maximum block size.
    let bytes: [UInt8]
    let minimumBlockSize: Int
    let maximumBlockSize: Int
    let sampleRate: Int
    let channels: Int
    let bitDepth: Int

    private static let byteCount = 34
    private static let marker = Array("fLaC".utf8)

    /// - Parameter extradata: STREAMINFO by itself, after its block header, or in a complete native header.
    init(extradata: [UInt8]) throws(PackagingError) {
        var reader = ByteReader(extradata, subject: "FLAC STREAMINFO")
        if extradata.starts(with: Self.marker) { try reader.skip(Self.marker.count) }
        if reader.remaining != Self.byteCount {
            let header = try reader.uint32()
            guard header & 0x7F00_0000 == 0, header & 0xFF_FFFF == UInt32(Self.byteCount) else {
                throw PackagingError(.malformed, "FLAC: the first metadata block is not STREAMINFO")
            }
        }
        var bytes = try reader.take(Self.byteCount)
        var bits = BitReader(bytes, subject: "FLAC STREAMINFO")
        let least = try bits.int(16)
        maximumBlockSize = try bits.int(16)
        try bits.skip(24 + 24)
        sampleRate = try bits.int(20)
        channels = try bits.int(3) + 1
        bitDepth = try bits.int(5) + 1
        guard sampleRate > 0, maximumBlockSize >= 16 else {
            throw PackagingError(.malformed, "FLAC: invalid format: \(sampleRate) Hz in blocks of \(maximumBlockSize)")
        }
        minimumBlockSize = least < 16 ? maximumBlockSize : least
        if least < 16 { bytes.replaceSubrange(0..<2, with: bytes[2..<4]) }
        self.bytes = bytes
    }

    /// The payload of FLACSpecificBox after version and flags ("Encapsulation of FLAC in ISOBMFF" §3.3.2): STREAMINFO
    /// as the last metadata block.
    var specificBox: [UInt8] { [0x80, 0, 0, UInt8(Self.byteCount)] + bytes }
}
