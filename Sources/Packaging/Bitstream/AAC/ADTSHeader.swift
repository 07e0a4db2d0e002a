// SPDX-License-Identifier: Apache-2.0

/// adts_fixed_header and adts_variable_header, ISO/IEC 13818-7 §6.2.
struct ADTSHeader: Hashable, Sendable {
    /// MPEG-4 audio object type, 1 to 4.
    let objectType: Int
    let sampleRateIndex: Int
    let channelConfiguration: Int
    /// Size of the header: 7 bytes, or 9 with a checksum.
    let byteCount: Int
    /// Header and payload.
    let frameByteCount: Int
    /// Raw data blocks in the frame.
    let blockCount: Int

    /// `nil` if the bytes do not start with a valid header.
    init?(_ bytes: Span<UInt8>) {
        guard bytes.count >= 7, bytes[0] == 0xFF, bytes[1] & 0xF6 == 0xF0 else { return nil }
        objectType = Int(bytes[2] >> 6) + 1
        sampleRateIndex = Int(bytes[2] >> 2) & 0xF
        channelConfiguration = Int(bytes[2] & 1) << 2 | Int(bytes[3] >> 6)
        byteCount = bytes[1] & 1 == 1 ? 7 : 9
        frameByteCount = Int(bytes[3] & 3) << 11 | Int(bytes[4]) << 3 | Int(bytes[5] >> 5)
        blockCount = Int(bytes[6] & 3) + 1
        guard sampleRateIndex < AudioSpecificConfig.sampleRates.count, frameByteCount > byteCount else { return nil }
    }

    /// Whether `packet` is exactly one frame.
    static func frames(_ packet: [UInt8]) -> Bool {
        guard let header = ADTSHeader(packet.span) else { return false }
        return header.frameByteCount == packet.count
    }

    /// The raw data block in `packet`.
    static func payload(of packet: Span<UInt8>) throws(PackagingError) -> [UInt8] {
        guard let header = ADTSHeader(packet), header.frameByteCount <= packet.count else {
            throw PackagingError(.malformed, "an AAC packet of \(packet.count) bytes is not an ADTS frame")
        }
        guard header.blockCount == 1, header.frameByteCount == packet.count else {
            throw PackagingError(.unsupportedFeature, "several AAC frames per packet are not supported")
        }
        return [UInt8](capacity: packet.count - header.byteCount) { output in
            output.append(packet, header.byteCount..<packet.count)
        }
    }

    /// The two bytes of an AudioSpecificConfig without extensions.
    var audioSpecificConfig: [UInt8] {
        let bits = objectType << 11 | sampleRateIndex << 7 | channelConfiguration << 3
        return [UInt8(truncatingIfNeeded: bits >> 8), UInt8(truncatingIfNeeded: bits)]
    }
}
