// SPDX-License-Identifier: Apache-2.0

@testable import Packaging
import Testing

/// The test cipher adds one, which makes decrypted bytes recognisable.
@Suite struct EncryptedTransportStreamTests {
    private static func decrypt(_ blocks: [UInt8]) -> [UInt8] { blocks.map { $0 &+ 1 } }

    private static func packet(
        _ stream: Int,
        _ payload: [UInt8],
        isStart: Bool = false,
        counter: UInt8 = 0,
        field: [UInt8] = []
    ) -> [UInt8] {
        var field = field
        let missing = 184 - field.count - payload.count
        if missing > 0 {
            let flags: [UInt8] = field.isEmpty && missing > 1 ? [0] : []
            let length = UInt8(max(1, field.count) - 1 + missing - (field.isEmpty ? 1 : 0) + (field.isEmpty ? 0 : 0))
            field = [length] + field.dropFirst() + flags
            field += [UInt8](repeating: 0xFF, count: 184 - field.count - payload.count)
        }
        let control: UInt8 = field.isEmpty ? 0x10 : 0x30
        return [0x47, (isStart ? 0x40 : 0) | UInt8(stream >> 8), UInt8(stream & 0xFF), control | counter] + field
            + payload
    }

    private static func section(_ stream: Int, _ body: [UInt8], table: UInt8) -> [UInt8] {
        let length = body.count + 4
        let section = [table, 0xB0 | UInt8(length >> 8), UInt8(length & 0xFF)] + body + [0, 0, 0, 0]
        return packet(stream, [0] + section + [UInt8](repeating: 0xFF, count: 183 - section.count), isStart: true)
    }

    /// Tables with one program, whose only stream has the given stream type and PID 0x101.
    private static func tables(_ type: UInt8) -> [UInt8] {
        section(0, [0, 1, 0xC1, 0, 0, 0, 1, 0xE1, 0x00], table: 0)
            + section(0x100, [0, 1, 0xC1, 0, 0, 0xE1, 0x01, 0xF0, 0, type, 0xE1, 0x01, 0xF0, 0], table: 2)
    }

    /// An AAC frame with an ADTS header.
    private static func frame(_ count: Int) -> [UInt8] {
        let header: [UInt8] = [
            0xFF, 0xF1, 0x4C, 0x80 | UInt8(count >> 11), UInt8(count >> 3 & 0xFF), UInt8(count & 7) << 5 | 0x1F, 0xFC,
        ]
        return header + [UInt8](repeating: 0x40, count: count - 7)
    }

    private static let head: [UInt8] = [0, 0, 1, 0xC0, 0, 0, 0x80, 0, 0]

    @Test("A frame that continues in the next unit is decrypted, and no other bytes change")
    func audio() {
        // One frame of 100 bytes, of which the second unit has the last 37.
        let frame = Self.frame(100)
        let stream =
            Self.tables(0xCF)
            + Self.packet(0x101, Self.head + frame[..<63], isStart: true, counter: 7)
            + Self.packet(0x1FFF, [UInt8](repeating: 0xFF, count: 184))
            + Self.packet(0x101, Self.head + frame[63...], isStart: true, counter: 8)
        let clear = EncryptedTransportStream(stream).clear(Self.decrypt)
        #expect(clear.count == stream.count)
        let changed = stream.indices.filter { clear[$0] != stream[$0] && $0 % 188 != 3 }
        // After the header and 16 clear bytes, the other 77 bytes contain four whole blocks: 40 bytes in the first
        // unit, and 24 in the second.
        #expect(changed == Array((3 * 188 - 40)..<(3 * 188)) + Array((5 * 188 - 37)..<(5 * 188 - 37 + 24)))
        #expect(changed.allSatisfy { clear[$0] == stream[$0] &+ 1 })
    }

    @Test("An unencrypted stream, and bytes that are not a transport stream, are returned unchanged")
    func others() {
        let stream = Self.tables(0x0F) + Self.packet(0x101, Self.head + Self.frame(100), isStart: true)
        #expect(EncryptedTransportStream(stream).clear(Self.decrypt) == stream)
        #expect(EncryptedTransportStream(stream + [0x47, 1, 2]).clear(Self.decrypt) == stream + [0x47, 1, 2])
        for bytes in [[], [0x47], [UInt8](repeating: 0x47, count: 188 * 3), [UInt8](repeating: 0xFF, count: 400)] {
            #expect(EncryptedTransportStream(bytes).clear(Self.decrypt) == bytes)
        }
    }

    @Test("If a picture becomes shorter without emulation prevention bytes, stuffing fills the packet")
    func video() {
        var picture: [UInt8] = [0, 0, 1, 0x65] + [UInt8](repeating: 0x40, count: 400)
        picture.replaceSubrange(100..<104, with: [0, 0, 3, 1])
        let header: [UInt8] = [0, 0, 1, 0xE0, 0x01, 0x97, 0x80, 0, 0]
        let bytes = header + picture
        var stream = Self.tables(0xDB)
        stream += Self.packet(0x101, Array(bytes[..<184]), isStart: true)
        stream += Self.packet(0x101, Array(bytes[184..<368]), counter: 1)
        stream += Self.packet(0x101, Array(bytes[368...]), counter: 2)
        let clear = EncryptedTransportStream(stream).clear(Self.decrypt)
        #expect(clear.count == stream.count)
        #expect(stride(from: 0, to: clear.count, by: 188).allSatisfy { clear[$0] == 0x47 })
        let counters = (2..<5).map { (packet: Int) -> UInt8 in clear[packet * 188 + 3] & 0x0F }
        #expect(counters == [0, 1, 2])
        // The unit's new length, and one more byte of stuffing in the last packet.
        let (length, stuffing) = (2 * 188 + 8, 4 * 188 + 4)
        #expect(Array(clear[length..<length + 2]) == [0x01, 0x96])
        #expect(clear[stuffing] == stream[stuffing] + 1)
    }

    @Test("Packed audio is decrypted after its ID3 tags")
    func packed() {
        let tag = Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, 3, 1, 2, 3]
        let clear = SampleDecryption.segment(tag + Self.frame(60), Self.decrypt)
        #expect(Array(clear.prefix(tag.count)) == tag)
        #expect(
            clear.dropFirst(tag.count + 23).map { Int($0) - 0x40 } == Array(repeating: 1, count: 32) + [0, 0, 0, 0, 0]
        )
        #expect(SampleDecryption.segment(tag, Self.decrypt) == tag)
    }
}
