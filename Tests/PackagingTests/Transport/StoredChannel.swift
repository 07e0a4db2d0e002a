// SPDX-License-Identifier: Apache-2.0

@testable import Packaging

/// Builds the packets of a transport stream with video in units of several packets, and audio between them.
struct StoredChannel {
    static let (map, audio) = (0x1000, 0x101)
    static let ticks = 3600

    private(set) var bytes: [UInt8] = []
    private var number = 0

    /// Appends tables, and a second of video (25 units, the first one a keyframe) with audio.
    ///
    /// - Parameters:
    ///   - type: the stream type of the video.
    ///   - scrambled: the PIDs that are scrambled.
    mutating func addSecond(
        of type: UInt8,
        on video: Int = 0x100,
        program: Int = 1,
        map: Int = StoredChannel.map,
        scrambled: Set<Int> = []
    ) {
        let streams = [
            ProgramTables.Entry(type: type, number: video), ProgramTables.Entry(type: 0x0F, number: Self.audio),
        ]
        let association = SectionBytes.packets(ProgramTables.association(program, map: map), on: 0)
        bytes += (association + SectionBytes.packets(ProgramTables.map(program: program, streams), on: map)).joined()
        for unit in 0..<25 {
            let time = Int64(number * Self.ticks)
            addUnit(video, time, isKey: unit == 0, count: 4, isScrambled: scrambled.contains(video))
            addUnit(Self.audio, time, isKey: false, count: 2, isScrambled: scrambled.contains(Self.audio))
            number += 1
        }
        // The last audio unit ends after the tables and the first picture of what follows, as muxers interleave them.
        swapTail()
    }

    private var tail: [UInt8] = []

    private mutating func swapTail() {
        tail = Array(bytes.suffix(188))
        bytes.removeLast(188)
    }

    private mutating func addUnit(_ stream: Int, _ time: Int64, isKey: Bool, count: Int, isScrambled: Bool) {
        for place in 0..<count {
            let begins = place == 0
            var packet: [UInt8] = [
                0x47, UInt8(stream >> 8) | (begins ? 0x40 : 0), UInt8(stream & 255),
                (isScrambled ? 0x80 : 0) | (begins ? 0x30 : 0x10),
            ]
            if begins {
                let base = time >> 1
                packet += [7, isKey ? 0x50 : 0x10] + [24, 16, 8, 0].map { UInt8(base >> $0 & 255) }
                packet += [UInt8(time & 1) << 7 | 0x7E, 0]
            }
            let head: [UInt8] = [
                0, 0, 1, stream == Self.audio ? 0xC0 : 0xE0, 0, 0, 0x80, 0x80, 5, UInt8(0x21 | time >> 29 & 14),
                UInt8(time >> 22 & 255), UInt8(time >> 14 & 254 | 1), UInt8(time >> 7 & 255),
                UInt8(time << 1 & 254 | 1),
            ]
            if begins, !isScrambled { packet += head }
            bytes += packet + [UInt8](repeating: UInt8(number & 127 | 128), count: 188 - packet.count)
        }
        guard stream != Self.audio, !tail.isEmpty else { return }
        bytes += tail
        tail = []
    }

    static func bytes(_ types: [UInt8]) -> [UInt8] {
        var channel = StoredChannel()
        for type in types { channel.addSecond(of: type) }
        return channel.bytes
    }
}
