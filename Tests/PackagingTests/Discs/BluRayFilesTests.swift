// SPDX-License-Identifier: Apache-2.0

import EngineTestKit
@testable import Packaging
import Testing

/// The files of a Blu-ray disc, intact and damaged.
struct BluRayFilesTests {
    private typealias Bytes = BluRayBytes

    @Test
    func playlistSaysWhatIsPlayed() throws {
        let streams = [(pid: 0x1011, coding: UInt8(0x24), language: ""), (0x1100, 0x83, "eng"), (0x1200, 0x90, "deu")]
        let items = [
            Bytes.Item(clips: ["00055"], start: 100, end: 900, connection: 1, streams: streams),
            Bytes.Item(clips: ["00056", "00057", "00058"], start: .max - 9, end: 90, connection: 6, streams: streams),
        ]
        let playlist = try BluRayPlaylist(Bytes.playlist(items, marks: [(1, 0, 100), (2, 0, 200), (1, 1, 5)]))
        #expect(playlist.items.map(\.clips) == [["00055"], ["00056", "00057", "00058"]])
        #expect(playlist.items.map(\.connection) == [.separate, .seamless])
        // The clock of a clip may wrap.
        #expect(playlist.items.map(\.duration) == [800, 100])
        #expect(playlist.items[0].streams.map(\.pid) == [0x1011, 0x1100, 0x1200])
        #expect(playlist.items[0].streams.map(\.language) == ["", "eng", "deu"])
        #expect(playlist.items[0].streams.map(\.kind) == [.video, .audio, .graphics])
        #expect(playlist.items[0].streams[0].rate == 1)
        // Only entry marks are chapters.
        #expect(playlist.marks == [.init(item: 0, time: 100), .init(item: 1, time: 5)])
    }

    @Test
    func playlistSaysWhatIsNotPlayed() throws {
        var item = Bytes.Item()
        (item.texts, item.secondaryAudio, item.secondaryVideo) = (["eng", "fra"], ["deu"], [0x1B00])
        let bytes = Bytes.playlist([item], marks: [(1, 0, 0)], isStereoscopic: true)
        let playlist = try BluRayPlaylist(bytes)
        let table = playlist.items[0].table
        #expect(
            table.unplayed == [
                .init(.text, language: "eng"), .init(.text, language: "fra"),
                .init(.secondaryAudio, language: "deu"), .init(.secondaryVideo),
            ]
        )
        // The streams of sub-paths are in other clips.
        #expect(table.streams.map(\.pid) == [0x1011, 0x1100, 0x1B00])
        #expect(playlist.isStereoscopic && playlist.marks.count == 1)
        // Without its end, a playlist lacks only the statement that it is stereoscopic.
        for count in 1..<24 {
            let cut = try BluRayPlaylist(Array(bytes.dropLast(count)))
            #expect(!cut.isStereoscopic && cut.items == playlist.items)
        }
        let plain = try BluRayPlaylist(Bytes.playlist([Bytes.Item()]))
        #expect(!plain.isStereoscopic && plain.items[0].table.unplayed.isEmpty)
    }

    @Test
    func playlistWithAPartThatEndsBeforeItBeginsIsRefused() {
        // Otherwise, the part would last for a whole turn of the clock, and the title would be the longest one.
        let bytes = Bytes.playlist([Bytes.Item(), Bytes.Item(start: 450_000, end: 0)])
        #expect(throws: PackagingError.self) { _ = try BluRayPlaylist(bytes) }
    }

    @Test
    func clipInformationSaysWhereItCanBeEntered() throws {
        let entries = (0..<3000).map { number in
            ClipInformation.EntryPoint(
                time: (Int64(number) * 45_000 + (1 << 32)) & ~0x1FF,
                packet: Int64(number) * 700
            )
        }
        let clip = try ClipInformation(Bytes.clip(entries))
        #expect(clip.entryPoints == [0x1011: entries])
    }

    @Test
    func indexLeadsToPlaylists() throws {
        let index = try BluRayIndex(Bytes.index(first: 3, titles: [1, nil, 2]))
        #expect(index.firstPlay == .movie(3))
        #expect(index.titles == [.movie(1), .java, .movie(2)])
        let objects = try MovieObjects(
            Bytes.objects([
                // PlayPL 7, PlayPL_PI 8; PlayPL of a register, JumpTitle 9.
                [(0x2280_0000, 7), (0x4281_0000, 8)], [(0x2200_0000, 5), (0x2181_0000, 9)],
            ])
        )
        #expect(objects.playlists == [[7, 8], []])
    }

    @Test
    func whatIsCutOffIsRefused() {
        let files: [[UInt8]] = [
            Bytes.playlist([Bytes.Item(), Bytes.Item(clips: ["00001", "00002"])], marks: [(1, 0, 0)]),
            Bytes.clip((0..<5).map { .init(time: $0 * 51_200, packet: $0) }),
            Bytes.index(first: 0, titles: [0, 1]), Bytes.objects([[(0x2280_0000, 7)]]),
        ]
        for (number, file) in files.enumerated() {
            for count in 0..<file.count {
                let bytes = Array(file.prefix(count))
                #expect(throws: PackagingError.self, "\(count) bytes of file \(number)") {
                    switch number {
                    case 0: _ = try BluRayPlaylist(bytes)
                    case 1: _ = try ClipInformation(bytes)
                    case 2: _ = try BluRayIndex(bytes)
                    default: _ = try MovieObjects(bytes)
                    }
                }
            }
        }
    }

    @Test
    func whatNoDiscHasIsRefused() {
        var named = Bytes.Item()
        named.clips = ["../ab"]
        #expect(throws: PackagingError.self) { _ = try BluRayPlaylist(Bytes.playlist([named])) }
        let many = [Bytes.Item](repeating: Bytes.Item(), count: 1000)
        #expect(throws: PackagingError.self) { _ = try BluRayPlaylist(Bytes.playlist(many)) }
        var angles = Bytes.Item()
        angles.clips = [String](repeating: "00001", count: 10)
        #expect(throws: PackagingError.self) { _ = try BluRayPlaylist(Bytes.playlist([angles])) }
        // More entries than the file has.
        var clip = Bytes.clip([.init(time: 0, packet: 0)])
        clip[40 + 4 + 2 + 2 + 2 + 5] = 0xFF
        #expect(throws: PackagingError.self) { _ = try ClipInformation(clip) }
    }

    @Test(arguments: [0, 90_000, (1 << 33) - 1])
    func unitSaysWhenAPictureIsPresented(time: Int64) throws {
        let payload = (0..<500).map { UInt8(truncatingIfNeeded: $0) }
        let bytes = BluRayBytes.unit(time: time, payload: payload)
        let unit = try #require(TransportUnit(bytes, pid: 0x1011))
        #expect(unit.time == time)
        #expect(unit.payload == payload)
        // The payload has only as much as was read.
        #expect(
            try #require(TransportUnit(Array(bytes.prefix(192)), pid: 0x1011)).payload == Array(payload.prefix(170))
        )
        #expect(TransportUnit(bytes, pid: 0x1012) == nil)
        #expect(TransportUnit(Array(bytes.dropFirst(192)), pid: 0x1011) == nil)
        #expect(TransportUnit(Array(bytes.prefix(191)), pid: 0x1011) == nil)
    }
}
