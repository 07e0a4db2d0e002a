// SPDX-License-Identifier: Apache-2.0

/// The first packs of one audio stream of a DVD. In front of a title, they make demuxers know a stream that begins
/// later than the title.
package enum PackSample {
    /// How much audio is taken, in ticks of 90 kHz: enough to identify it, and to try a decoder.
    private static let duration: Int64 = 67_500

    /// - Parameters:
    ///   - packs: whole packs, of any streams.
    ///   - stream: the number of the stream in program streams.
    /// - Returns: the packs of the stream; empty if there are none.
    package static func bytes(_ packs: [UInt8], of stream: Int) -> [UInt8] {
        var found: [UInt8] = []
        var first: Int64?
        for pack in stride(from: 0, through: packs.count - VideoUnit.packByteCount, by: VideoUnit.packByteCount) {
            guard let packet = AudioPacket(packs, at: pack), packet.stream == stream else { continue }
            if let time = packet.time {
                first = first ?? time
                if let first, TitleTimeline.distance(from: first, to: time) >= duration { break }
            }
            // Decoders need the time of the first frame.
            if first != nil { found += packs[pack..<pack + VideoUnit.packByteCount] }
        }
        return found
    }

    /// The header of a packet of audio (ISO/IEC 13818-1, 2.4.3.6).
    private struct AudioPacket {
        let stream: Int
        /// Its presentation time, in ticks of 90 kHz. 33 bits.
        let time: Int64?

        /// `nil` if there is no pack with a packet of audio at `pack`.
        init?(_ bytes: [UInt8], at pack: Int) {
            guard VideoUnit.isPack(bytes, at: pack) else { return nil }
            let place = pack + 14 + Int(bytes[pack + 13] & 7)
            let payload = place + 9 + Int(bytes[place + 8])
            guard bytes[place..<place + 3].elementsEqual([0, 0, 1]), payload < pack + VideoUnit.packByteCount else {
                return nil
            }
            switch bytes[place + 3] {
            case 0xBD: stream = Int(bytes[payload])
            case 0xC0...0xDF: stream = 0x100 | Int(bytes[place + 3])
            default: return nil
            }
            time = bytes[place + 7] & 0x80 != 0 ? VideoUnit.stamp(bytes, at: place + 9) : nil
        }
    }
}
