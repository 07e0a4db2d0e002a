// SPDX-License-Identifier: Apache-2.0

internal import CFFmpeg

/// Modifies a text packet so that its decoder, which uses C strings, sees all of the text.
enum TextRepair: Hashable {
    /// Not text.
    case none
    /// The payload is text: NULs within it become U+001A (SUBSTITUTE), and NULs at its end are ignored.
    case whole
    /// A two-byte length, the text, then boxes (3GPP TS 26.245): NULs within the text become U+001A.
    case counted

    init(_ codec: AVCodecID) {
        if codec == AV_CODEC_ID_MOV_TEXT {
            self = .counted
        } else if let descriptor = unsafe avcodec_descriptor_get(codec),
            unsafe descriptor.pointee.props & AV_CODEC_PROP_TEXT_SUB != 0, codec != AV_CODEC_ID_EIA_608
        {
            self = .whole
        } else {
            self = .none
        }
    }

    private static let substitute: UInt8 = 0x1A

    /// The packet to give to the decoder, with the same payload if it needs no repair.
    func repaired(_ packet: Packet) -> PacketBuffer {
        let buffer = PacketBuffer()
        unsafe packet.withPointer { source in
            let status = unsafe av_packet_ref(buffer.pointer, source)
            precondition(status >= 0, "av_packet_ref: out of memory")
        }
        guard let text = range(in: packet), !text.isEmpty else { return buffer }
        let hasNUL = packet.withBytes { bytes in text.contains { bytes[$0] == 0 } }
        guard hasNUL, unsafe av_packet_make_writable(buffer.pointer) >= 0, let data = unsafe buffer.pointer.pointee.data
        else { return buffer }
        for index in text where unsafe data[index] == 0 { unsafe data[index] = Self.substitute }
        return buffer
    }

    /// The range of the text, without trailing NULs.
    private func range(in packet: Packet) -> Range<Int>? {
        packet.withBytes { bytes in
            switch self {
            case .none: return nil
            case .whole:
                var end = bytes.count
                while end > 0, bytes[end - 1] == 0 { end -= 1 }
                return 0..<end
            case .counted:
                guard bytes.count > 2 else { return nil }
                let length = Int(bytes[0]) << 8 | Int(bytes[1])
                // A byte order mark means UTF-16, where a zero byte is half of a character.
                if length >= 2, bytes.count >= 4, [0xFE, 0xFF].contains(bytes[2]), [0xFE, 0xFF].contains(bytes[3]) {
                    return nil
                }
                return 2..<min(bytes.count, 2 + length)
            }
        }
    }
}
