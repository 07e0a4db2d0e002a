// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Packaging

private typealias Entry = ProgramTables.Entry
private typealias Tables = ProgramTables

@Suite("Streams of a program that changes")
struct StreamSuccessionTests {
    private typealias Kind = StreamReception.Change.Kind

    private static let first = [Entry(type: 0x1B, number: 0x100), Entry(type: 0x0F, number: 0x101)]

    private func outcomes(
        _ succession: inout StreamSuccession,
        _ packets: [[UInt8]]
    ) throws -> [StreamSuccession.Outcome] {
        try packets.map { bytes in
            let packet = try #require(TransportPacket(bytes, at: 0))
            return succession.take(packet, bytes[packet.payloadOffset...])
        }
    }

    private func outcome(_ succession: inout StreamSuccession, of stream: Int) throws -> StreamSuccession.Outcome? {
        let bytes = [0x47, UInt8(stream >> 8), UInt8(stream & 255), 0x10] + [UInt8](repeating: 1, count: 184)
        return try outcomes(&succession, [bytes]).first
    }

    private func succession(of streams: [Entry] = first) throws -> StreamSuccession {
        var succession = StreamSuccession()
        let tables = SectionBytes.packets(Tables.association(1, map: 0x1000), on: 0)
        let found = try outcomes(&succession, tables + SectionBytes.packets(Tables.map(streams), on: 0x1000))
        #expect(found == [.kept, .kept])
        return succession
    }

    @Test("A stream that continues under another PID is moved back, and the new map is dropped")
    func moves() throws {
        var succession = try succession()
        let other = Tables.map(version: 1, [Entry(type: 0x1B, number: 0x110), Entry(type: 0x0F, number: 0x101)])
        #expect(try outcomes(&succession, SectionBytes.packets(other, on: 0x1000)) == [.dropped])
        #expect(try outcome(&succession, of: 0x110) == .moved(to: 0x100))
        #expect(try outcome(&succession, of: 0x101) == .kept)
        var changes = succession.takeChanges()
        #expect(changes == [.moved("H.264", from: 0x100, to: 0x110, isVideo: true)])
        // The same map again changes nothing, even with a new version number.
        let again = Tables.map(version: 2, [Entry(type: 0x1B, number: 0x110), Entry(type: 0x0F, number: 0x101)])
        #expect(try outcomes(&succession, SectionBytes.packets(again, on: 0x1000)) == [.dropped])
        changes = succession.takeChanges()
        #expect(changes.isEmpty)
        // The stream returns to its first PID.
        let back = SectionBytes.packets(Tables.map(version: 3, Self.first), on: 0x1000)
        #expect(try outcomes(&succession, back) == [.kept])
        #expect(try outcome(&succession, of: 0x100) == .kept)
        changes = succession.takeChanges()
        #expect(changes == [.returned("H.264", 0x100, isVideo: true)])
    }

    @Test("A section may end in the packet in which the next one begins, and several may end in one packet")
    func pointers() throws {
        var succession = try succession()
        // A descriptor makes the map longer than a packet.
        let name: [UInt8] = [0x05, 200] + [UInt8](repeating: 0x41, count: 200)
        let video = Entry(type: 0x1B, number: 0x110, descriptors: name)
        let long = Tables.map(version: 1, [video, Entry(type: 0x0F, number: 0x101)])
        let begin: [UInt8] = [0x47, 0x50, 0, 0x10, 0] + long.prefix(183)
        _ = try outcomes(&succession, [begin])
        #expect(succession.takeChanges().isEmpty)
        let other = Tables.map(program: 2, [Entry(type: 0x03, number: 0x200)])
        let more = Tables.map(program: 3, [Entry(type: 0x03, number: 0x300)])
        _ = try outcomes(
            &succession,
            SectionBytes.packets(other + more, on: 0x1000, behind: Array(long.dropFirst(183)))
        )
        #expect(try outcome(&succession, of: 0x110) == .moved(to: 0x100))
        let changed = Tables.map(version: 1, program: 3, [Entry(type: 0x03, number: 0x310)])
        _ = try outcomes(&succession, SectionBytes.packets(changed, on: 0x1000))
        #expect(try outcome(&succession, of: 0x310) == .moved(to: 0x300))
    }

    @Test("A program whose map changes does not affect the map of another program on another PID")
    func neighbours() throws {
        var succession = StreamSuccession()
        let table = Tables.section(0, 1, [0, 1, 0xF0, 0, 0, 2, 0xF0, 1])
        let second = [Entry(type: 0x1B, number: 0x200)]
        let first = SectionBytes.packets(Tables.map(Self.first), on: 0x1000)
        let other = SectionBytes.packets(Tables.map(program: 2, second), on: 0x1001)
        #expect(try outcomes(&succession, SectionBytes.packets(table, on: 0) + first + other) == [.kept, .kept, .kept])
        let changed = Tables.map(version: 1, program: 2, [Entry(type: 0x1B, number: 0x210)])
        #expect(try outcomes(&succession, SectionBytes.packets(changed, on: 0x1001)) == [.dropped])
        #expect(try outcomes(&succession, first) == [.kept])
    }

    @Test("Streams that exchange their PIDs are told apart by codec, and those of one codec by language")
    func exchanges() throws {
        let german: [UInt8] = [0x0A, 4, 0x64, 0x65, 0x75, 0]
        let french: [UInt8] = [0x0A, 4, 0x66, 0x72, 0x61, 0]
        var succession = try succession(of: [
            Entry(type: 0x1B, number: 0x100), Entry(type: 0x0F, number: 0x101, descriptors: german),
            Entry(type: 0x0F, number: 0x102, descriptors: french),
        ])
        let other = Tables.map([
            Entry(type: 0x1B, number: 0x101), Entry(type: 0x0F, number: 0x100, descriptors: french),
            Entry(type: 0x0F, number: 0x103, descriptors: german),
        ])
        _ = try outcomes(&succession, SectionBytes.packets(other, on: 0x1000))
        #expect(try outcome(&succession, of: 0x101) == .moved(to: 0x100))
        #expect(try outcome(&succession, of: 0x100) == .moved(to: 0x102))
        #expect(try outcome(&succession, of: 0x103) == .moved(to: 0x101))
    }

    @Test("A new program takes the place of one that is not listed any more, or whose PID it uses for another codec")
    func successors() throws {
        for (type, number, isListed) in [(0x24, 0x100, true), (0x1B, 0x110, false), (0x24, 0x110, false)] {
            var succession = try succession()
            if !isListed {
                _ = try outcomes(&succession, SectionBytes.packets(Tables.association(2, map: 0x1000), on: 0))
            }
            let other = Tables.map(program: 2, [Entry(type: UInt8(type), number: number)])
            _ = try outcomes(&succession, SectionBytes.packets(other, on: 0x1000))
            let name = type == 0x24 ? "HEVC" : "H.264"
            #expect(succession.takeChanges() == [.replaced("H.264", 0x100, by: name, as: number)])
        }
        var succession = try succession()
        let other = Tables.map(program: 2, [Entry(type: 0x24, number: 0x200)])
        _ = try outcomes(&succession, SectionBytes.packets(other, on: 0x1000))
        #expect(succession.takeChanges().isEmpty)
    }

    @Test("A stream of another codec does not take the place of the first one")
    func codecChanges() throws {
        var succession = try succession()
        let other = Tables.map([Entry(type: 0x1B, number: 0x100), Entry(type: 0x81, number: 0x101)])
        _ = try outcomes(&succession, SectionBytes.packets(other, on: 0x1000))
        #expect(try outcome(&succession, of: 0x101) == .dropped)
        let changes = succession.takeChanges()
        #expect(changes == [.appeared("AC-3", 0x101), .vanished("AAC", 0x101)])
        // Private data is told apart by its descriptors.
        let map = try #require(
            ProgramMap(
                Tables.map([
                    Entry(type: 6, number: 1, descriptors: [0x6A, 1, 0]),
                    Entry(type: 6, number: 2, descriptors: [0x59, 0]),
                    Entry(type: 6, number: 3, descriptors: [5, 4, 0x48, 0x45, 0x56, 0x43]),
                ])
            )
        )
        #expect(map.streams.map(\.kind.name) == ["AC-3", "DVB subtitles", "private data"])
        #expect(Set(map.streams.map(\.kind)).count == 3)
    }

    @Test(
        "Video of another codec replaces the first one: under its PID, under another one, after a move, and after a pause"
    )
    func videoCodecChanges() throws {
        let hevc = [Entry(type: 0x24, number: 0x100), Self.first[1]]
        let moved = [Entry(type: 0x1B, number: 0x110), Self.first[1]]
        let elsewhere = [Entry(type: 0x02, number: 0x120), Self.first[1]]
        let sound = [Self.first[1]]
        func changes(_ maps: [[Entry]]) throws -> [Kind] {
            var succession = try succession()
            for (version, map) in maps.enumerated() {
                let section = Tables.map(version: version + 1, map)
                _ = try outcomes(&succession, SectionBytes.packets(section, on: 0x1000))
            }
            let number = maps.last?.first?.number ?? 0
            #expect(try outcome(&succession, of: number) == .dropped)
            return succession.takeChanges()
        }
        let same = Kind.replaced("H.264", 0x100, by: "HEVC", as: 0x100)
        let other = Kind.replaced("H.264", 0x100, by: "MPEG-2 video", as: 0x120)
        #expect(try changes([hevc]) == [same])
        #expect(try changes([hevc, hevc]) == [same])
        #expect(try changes([elsewhere]) == [other])
        #expect(try changes([moved, elsewhere]) == [.moved("H.264", from: 0x100, to: 0x110, isVideo: true), other])
        #expect(try changes([sound, elsewhere]) == [.vanished("H.264", 0x100), other])
        // The first video is still there, so another one replaces nothing.
        #expect(try changes([[elsewhere[0]] + Self.first]) == [.appeared("MPEG-2 video", 0x120)])
    }

    @Test("A stream that vanishes and returns is kept")
    func vanishes() throws {
        var succession = try succession()
        _ = try outcomes(&succession, SectionBytes.packets(Tables.map(version: 1, [Self.first[0]]), on: 0x1000))
        var changes = succession.takeChanges()
        #expect(changes == [.vanished("AAC", 0x101)])
        _ = try outcomes(&succession, SectionBytes.packets(Tables.map(version: 2, Self.first), on: 0x1000))
        changes = succession.takeChanges()
        #expect(changes == [.returned("AAC", 0x101, isVideo: false)])
        #expect(try outcome(&succession, of: 0x101) == .kept)
    }

    @Test("A map may span packets; a damaged map and one that does not apply yet are ignored")
    func sections() throws {
        let name: [UInt8] = [0x48, 180] + [UInt8](repeating: 0x61, count: 180)
        let long = Self.first.map { Entry(type: $0.type, number: $0.number, descriptors: name) }
        var succession = StreamSuccession()
        _ = try outcomes(&succession, SectionBytes.packets(Tables.association(1, map: 0x1000), on: 0))
        let packets = SectionBytes.packets(Tables.map(long), on: 0x1000)
        #expect(try packets.count == 3 && outcomes(&succession, packets) == [.kept, .kept, .kept])
        var damaged = Tables.map([Entry(type: 0x1B, number: 0x110)])
        damaged[damaged.count - 1] ^= 1
        var early = Tables.map([Entry(type: 0x1B, number: 0x110)])
        early[5] &= 0xFE
        for section in [damaged, early] {
            #expect(try outcomes(&succession, SectionBytes.packets(section, on: 0x1000)) == [.kept])
        }
        #expect(try outcome(&succession, of: 0x110) == .kept)
        let changes = succession.takeChanges()
        #expect(changes.isEmpty)
    }
}
