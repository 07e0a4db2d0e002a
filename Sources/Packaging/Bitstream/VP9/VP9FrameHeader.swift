// SPDX-License-Identifier: Apache-2.0

import EngineModel

/// The uncompressed header of a key frame, VP9 bitstream specification §6.2.
struct VP9FrameHeader: Hashable, Sendable {
    var profile = 0
    var bitDepth = 8
    var subsamplingX = true
    var subsamplingY = true
    var color = ColorDescription()
    var width = 0
    var height = 0

    /// Maps color_space to code points of ITU-T H.273, §7.2.2.
    private static let colorSpaces: [Int: (primaries: Int, transfer: Int, matrix: Int)] = [
        1: (5, 6, 5), 2: (1, 1, 1), 3: (6, 6, 6), 4: (7, 7, 7), 5: (9, 14, 9), 7: (1, 13, 0),
    ]
    private static let rgb = 7

    /// Whether a frame is a keyframe; `nil` if `bytes` are not the start of a frame.
    static func isKeyFrame(_ bytes: Span<UInt8>) -> Bool? {
        guard !bytes.isEmpty, bytes[0] >> 6 == 2 else { return nil }
        let profile = profile(bytes[0])
        // After marker and profile: show_existing_frame, frame_type.
        let bits = bytes[0] << (profile == 3 ? 5 : 4)
        return bits & 0xC0 == 0
    }

    private static func profile(_ first: UInt8) -> Int { Int(first >> 5 & 1) | Int(first >> 4 & 1) << 1 }

    init(_ packet: [UInt8]) throws(PackagingError) {
        guard Self.isKeyFrame(packet.span) == true else {
            throw PackagingError(.malformed, "a packet of \(packet.count) bytes does not start with a VP9 key frame")
        }
        var reader = BitReader(packet, subject: "VP9 frame header")
        profile = Self.profile(packet[0])
        try reader.skip(profile == 3 ? 5 : 4)
        try reader.skip(4)
        guard try reader.bits(24) == 0x498342 else {
            throw PackagingError(.malformed, "VP9: no sync code in a key frame")
        }
        if profile >= 2 { bitDepth = try reader.flag() ? 12 : 10 }
        let space = try reader.int(3)
        if let points = Self.colorSpaces[space] {
            color = ColorDescription(primaries: points.primaries, transfer: points.transfer, matrix: points.matrix)
        }
        let hasSubsampling = profile == 1 || profile == 3
        if space == Self.rgb {
            color.isFullRange = true
            (subsamplingX, subsamplingY) = (false, false)
            if hasSubsampling { try reader.skip(1) }
        } else {
            color.isFullRange = try reader.flag()
            if hasSubsampling {
                subsamplingX = try reader.flag()
                subsamplingY = try reader.flag()
                try reader.skip(1)
            }
        }
        width = try reader.int(16) + 1
        height = try reader.int(16) + 1
    }
}
