// SPDX-License-Identifier: Apache-2.0

/// The beginning of a unit of video on a DVD (VOBU): its navigation pack, and the picture after it.
package struct VideoUnit: Hashable, Sendable {
    package static let packByteCount = 2048
    /// The number of bytes of a unit that are read to find its entry and the time of that entry.
    package static let byteCount = 4 * packByteCount
    private static let noUnit: Int64 = 0x3FFF_FFFF
    private static let noAudio: Int64 = 0x3FFF
    private static let audioCount = 8

    /// The start of its first picture and the end of its last one, in ticks of 90 kHz.
    package let start: Int64
    package let end: Int64
    /// How many sectors before it the last unit with video begins, in the same video object. `nil` if there is none, or
    /// the search information (DSI) is missing.
    package let previousVideo: Int64?
    /// For each of the eight numbers of audio streams, whether the unit has audio of that number. `nil` if the search
    /// information is missing.
    package let hasAudio: [Bool]?
    /// The picture at which decoding can begin.
    package let entry: Entry?

    package struct Entry: Hashable, Sendable {
        /// Its presentation time. Pictures that refer to the previous unit may be presented before it.
        package let time: Int64
        /// Its decoding time.
        package let decodingTime: Int64
        /// The offset of its packet in the unit.
        package let offset: Int
        /// Its first bytes.
        package let payload: ArraySlice<UInt8>
    }

    /// - Parameter bytes: from the start of the unit.
    /// - Returns: `nil` if they do not begin with a navigation pack.
    package init?(_ bytes: [UInt8]) {
        guard Self.isNavigation(bytes, at: 0) else { return nil }
        func number(at place: Int, byteCount: Int = 4) -> Int64 {
            (0..<byteCount).reduce(0) { $0 << 8 | Int64(bytes[place + $1]) }
        }
        start = number(at: 57)
        end = number(at: 61)
        // A second private packet, with substream 1. The two highest bits of pointers are flags.
        let isDescribed = Self.isStartCode(0xBF, in: bytes, at: 1024) && bytes[1030] == 1
        let back = isDescribed ? number(at: 1429) & Self.noUnit : Self.noUnit
        previousVideo = back == Self.noUnit ? nil : back
        // Distances to the packs of audio; the highest bit is the direction.
        let distances = (0..<Self.audioCount).map { number(at: 1433 + 2 * $0, byteCount: 2) & Self.noAudio }
        hasAudio = isDescribed ? distances.map { $0 != 0 && $0 != Self.noAudio } : nil
        entry =
            stride(from: Self.packByteCount, through: bytes.count - Self.packByteCount, by: Self.packByteCount)
            .lazy.prefix { !Self.isNavigation(bytes, at: $0) }.compactMap { Self.entry(bytes, at: $0) }.first
    }

    /// Whether a unit begins at a pack: with a pack header, a system header, and a private packet whose substream 0 has
    /// the times (PCI).
    private static func isNavigation(_ bytes: [UInt8], at place: Int) -> Bool {
        isPack(bytes, at: place) && isStartCode(0xBF, in: bytes, at: place + 38) && bytes[place + 44] == 0
    }

    static func isPack(_ bytes: [UInt8], at place: Int) -> Bool {
        bytes.count >= place + packByteCount && isStartCode(0xBA, in: bytes, at: place)
    }

    static func isStartCode(_ code: UInt8, in bytes: [UInt8], at place: Int) -> Bool {
        bytes[place] == 0 && bytes[place + 1] == 0 && bytes[place + 2] == 1 && bytes[place + 3] == code
    }

    private static func entry(_ bytes: [UInt8], at pack: Int) -> Entry? {
        guard isPack(bytes, at: pack) else { return nil }
        let place = pack + 14 + Int(bytes[pack + 13] & 7)
        // ISO/IEC 13818-1, 2.4.3.6: a packet of video whose flags declare a PTS.
        guard isStartCode(0xE0, in: bytes, at: place), bytes[place + 7] & 0x80 != 0 else { return nil }
        let time = stamp(bytes, at: place + 9)
        let payload = place + 9 + Int(bytes[place + 8])
        guard payload <= pack + packByteCount else { return nil }
        return Entry(
            time: time,
            // Without a decode time, it is decoded when it is presented.
            decodingTime: bytes[place + 7] & 0x40 != 0 ? stamp(bytes, at: place + 14) : time,
            offset: place,
            payload: bytes[payload..<pack + packByteCount]
        )
    }

    static func stamp(_ bytes: [UInt8], at place: Int) -> Int64 {
        let high = Int64(bytes[place] >> 1 & 7)
        let middle = (Int64(bytes[place + 1]) << 8 | Int64(bytes[place + 2])) >> 1
        let low = (Int64(bytes[place + 3]) << 8 | Int64(bytes[place + 4])) >> 1
        return high << 30 | middle << 15 | low
    }

    /// Whether the first pack of a unit has only zeros, as if it could not be read from the disc.
    package static func isBlank(_ bytes: [UInt8]) -> Bool {
        // Any other pack begins with a start code.
        bytes.count >= packByteCount && bytes[2] == 0 && bytes.prefix(packByteCount).allSatisfy { $0 == 0 }
    }

    /// Whether a pack declares its packet as scrambled (CSS). Only video, audio and subtitles can be scrambled.
    package static func isScrambled(pack bytes: ArraySlice<UInt8>) -> Bool {
        let place = bytes.startIndex
        guard bytes.count >= packByteCount, bytes[place..<place + 4].elementsEqual([0, 0, 1, 0xBA]) else {
            return false
        }
        let stream = bytes[place + 17]
        let isMedia = stream == 0xBD || (0xC0...0xEF).contains(stream)
        return bytes[place + 14..<place + 17].elementsEqual([0, 0, 1]) && isMedia && bytes[place + 20] & 0x30 != 0
    }
}
