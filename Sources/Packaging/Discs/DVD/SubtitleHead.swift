// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// Packs that the engine puts before a title of a DVD, so that demuxers know its subtitle streams from the start. In a
/// program stream, a demuxer learns of a stream only from its first packet, which may come an hour into the title.
///
/// Each pack has one packet with an empty subtitle.
package enum SubtitleHead {
    /// - Parameters:
    ///   - streams: their numbers in program streams, from 0x20 on.
    ///   - time: the presentation time of the packets, in ticks of 90 kHz.
    package static func bytes(_ streams: [Int], time: Int64) -> [UInt8] {
        streams.flatMap { pack(UInt8(truncatingIfNeeded: $0), time) }
    }

    private static func pack(_ stream: UInt8, _ time: Int64) -> [UInt8] {
        // ISO/IEC 13818-1, 2.5.3.3: a clock of 0, and a rate.
        var bytes: [UInt8] = [0, 0, 1, 0xBA, 0x44, 0, 4, 0, 4, 1, 1, 0x89, 0xC3, 0xF8]
        let stamp: [UInt8] = [
            UInt8(truncatingIfNeeded: 0x21 | time >> 29 & 0x0E), UInt8(truncatingIfNeeded: time >> 22),
            UInt8(truncatingIfNeeded: time >> 14 | 1), UInt8(truncatingIfNeeded: time >> 7),
            UInt8(truncatingIfNeeded: time << 1 | 1),
        ]
        // Ten bytes. The only control sequence begins at byte 4, and ends the display.
        let picture: [UInt8] = [0, 10, 0, 4, 0, 0, 0, 4, 2, 0xFF]
        let body = [0x81, 0x80, 5] + stamp + [stream] + picture
        bytes += [0, 0, 1, 0xBD, 0, UInt8(body.count)] + body
        // A padding stream fills the pack.
        let rest = VideoUnit.packByteCount - bytes.count - 6
        bytes += [0, 0, 1, 0xBE, UInt8(rest >> 8), UInt8(rest & 0xFF)]
        return bytes + [UInt8](repeating: 0xFF, count: rest)
    }
}

/// The properties of a DVD's subtitles that decoders need and the streams lack, in the form of VobSub files.
package struct SubtitleSetup: Hashable, Sendable {
    /// As text: the size of the pictures, and the colours as red, green and blue.
    package let text: String

    /// - Parameter palette: Y, Cr and Cb of each colour.
    package init(width: Int, height: Int, palette: [[UInt8]]) {
        let colours = palette.map { Self.hexadecimal($0) }.joined(separator: ", ")
        text = "size: \(width)x\(height)\npalette: \(colours)\n"
    }

    /// ITU-R BT.601, of limited range.
    private static func hexadecimal(_ colour: [UInt8]) -> String {
        let y = 1.164_383 * (Double(colour[0]) - 16)
        let cr = Double(colour[1]) - 128
        let cb = Double(colour[2]) - 128
        let parts = [y + 1.596_027 * cr, y - 0.812_968 * cr - 0.391_762 * cb, y + 2.017_232 * cb]
        return Hexadecimal.text(parts.map { UInt8(min(255, max(0, $0.rounded()))) })
    }
}
