// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Packaging

@Suite("Files of recordings")
struct RecordingFileTests {
    private static func track(_ timescale: UInt32) -> Track {
        var track = Track(codec: .aac, timescale: timescale)
        var audio = AudioProperties()
        (audio.sampleRate, audio.channels) = (48_000, 2)
        track.audio = audio
        return track
    }

    private static func segment(at time: Int64, _ payloads: [[UInt8]], sequenceNumber: UInt32 = 9) -> ByteBody {
        let samples = payloads.enumerated().map { number, payload in
            Sample(
                decodeTime: time + Int64(number) * 10,
                compositionOffset: 0,
                duration: 10,
                isSync: true,
                payload: ArrayRegion(payload)
            )
        }
        return MediaSegment.body(
            sequenceNumber: sequenceNumber,
            track: track(1000),
            samples: samples,
            emptyAt: time
        )
    }

    /// The boxes at the top: type and size.
    private static func boxes(_ bytes: [UInt8]) -> [(type: String, size: Int)] {
        var found: [(String, Int)] = []
        var place = 0
        while place + 8 <= bytes.count {
            let size = bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
            found.append((String(decoding: bytes[place + 4..<place + 8], as: UTF8.self), size))
            guard size >= 8 else { break }
            place += size
        }
        return found
    }

    @Test("The header has an entry for each track, and ends with a free box that the index can replace")
    func header() {
        let head = RecordingFile.header([Self.track(1000), Self.track(48_000)])
        let found = Self.boxes(head)
        #expect(found.map(\.type) == ["ftyp", "moov", "free"] && found.map(\.size).reduce(0, +) == head.count)
        let text = String(decoding: head, as: Unicode.ASCII.self)
        #expect(text.components(of: "trak") == 2 && text.components(of: "trex") == 2)
        let index = RecordingFile.index([.init(duration: 4000, byteCount: 100)], Self.track(1000))
        #expect(index.count == found[2].size && Self.boxes(index).map(\.type) == ["sidx", "free"])
    }

    @Test("The index points past its own padding, and lists each segment's size and duration")
    func index() throws {
        let entries = (1...3).map { RecordingFile.Entry(duration: Int64($0) * 1000, byteCount: Int64($0) * 100) }
        let bytes = RecordingFile.index(entries, Self.track(90_000))
        var reader = ByteReader(bytes, subject: "sidx")
        let size = try reader.uint32()
        try reader.skip(8)
        #expect(try reader.uint32() == 1 && reader.uint32() == 90_000)
        try reader.skip(8)
        #expect(try reader.number(byteCount: 8) == UInt64(bytes.count) - UInt64(size))
        #expect(try reader.uint32() == 3)
        for entry in entries {
            #expect(try reader.uint32() == UInt32(entry.byteCount) && reader.uint32() == UInt32(entry.duration))
            #expect(try reader.uint32() == 0x9000_0000)
        }
    }

    @Test("If there are too many segments, several share a reference, and none is left out")
    func sharedReferences() throws {
        let entries = (0..<100_000).map { _ in RecordingFile.Entry(duration: 4, byteCount: 10) }
        let bytes = RecordingFile.index(entries, Self.track(1000))
        var reader = ByteReader(bytes, subject: "sidx")
        try reader.skip(36)
        let count = Int(try reader.uint32())
        #expect((600...1400).contains(count))
        var (size, duration) = (0, 0)
        for _ in 0..<count {
            size += Int(try reader.uint32())
            duration += Int(try reader.uint32())
            try reader.skip(4)
        }
        #expect(size == 1_000_000 && duration == 400_000)
    }

    @Test(
        "A fragment has the track's id, the movie's sequence number and an earlier time, and its payload is unchanged"
    )
    func fragment() throws {
        let body = Self.segment(at: 5000, [[1, 2, 3], [4, 5]])
        let (head, payload) = try RecordingFile.fragment(body, id: 2, sequenceNumber: 77, earlierBy: 4000)
        #expect(body.bytes(payload..<body.byteCount) == [1, 2, 3, 4, 5])
        let header = try #require(head.firstRange(of: Array("tfhd".utf8)))
        #expect(head[header.upperBound + 4..<header.upperBound + 8] == [0, 0, 0, 2])
        let moved = ByteBody(head + body.bytes(payload..<body.byteCount))
        #expect(try PackedSegment(moved).times == [1000, 1010])
        #expect(Self.boxes(moved.bytes(0..<moved.byteCount)).map(\.type) == ["moof", "mdat"])
        let again = try RecordingFile.fragment(moved, id: 1, sequenceNumber: 9, earlierBy: -4000)
        let original = body.bytes(0..<body.byteCount)
        // Only `styp` is missing.
        let rebuilt = again.head + [1, 2, 3, 4, 5]
        #expect(original.suffix(moved.byteCount) == rebuilt[...])
    }

    @Test("Times do not become negative, and an empty segment is a fragment too")
    func edges() throws {
        let body = Self.segment(at: 5, [])
        let (head, payload) = try RecordingFile.fragment(body, id: 1, sequenceNumber: 1, earlierBy: 10)
        #expect(payload == body.byteCount && Self.boxes(head).map(\.type) == ["moof", "mdat"])
        let first = Self.segment(at: 5, [[1]])
        let moved = try RecordingFile.fragment(first, id: 1, sequenceNumber: 1, earlierBy: 10)
        #expect(try PackedSegment(ByteBody(moved.head + [1])).times == [0])
    }

    @Test("Bytes that are not a segment are refused", arguments: [[], [0, 0, 0, 8, 1, 1, 1, 1], [1, 2, 3]])
    func refusals(_ bytes: [UInt8]) {
        #expect(throws: PackagingError.self) {
            try RecordingFile.fragment(ByteBody(bytes), id: 1, sequenceNumber: 1, earlierBy: 0)
        }
    }
}

extension String {
    fileprivate func components(of word: String) -> Int { ranges(of: word).count }
}

@Suite("Names of recordings")
struct RecordingNamesTests {
    @Test(
        "Further files have numbers before the suffix",
        arguments: [
            ("/a/film.mp4", "/a/film-2.mp4", "/a/film-2.en.srt"), ("/a/film", "/a/film-2", "/a/film-2.en.srt"),
            ("/a.b/film", "/a.b/film-2", "/a.b/film-2.en.srt"), ("/a/.film", "/a/.film-2", "/a/.film-2.en.srt"),
            ("/a/film.old.mp4", "/a/film.old-2.mp4", "/a/film.old-2.en.srt"),
        ]
    )
    func parts(_ first: String, _ second: String, _ subtitles: String) {
        let names = RecordingNames(FilePath(first))
        #expect(names.media(1).text == first && names.media(2).text == second)
        #expect(names.subtitles(2, ["en"]).map(\.text) == [subtitles])
    }

    @Test("Subtitle files are told apart by language and number, and languages cannot leave the folder")
    func languages() {
        let names = RecordingNames(FilePath("/a/film.mp4"))
        let found = names.subtitles(1, ["en", "", "en", "../x", "pt-BR", ""]).map(\.text)
        #expect(
            found == [
                "/a/film.en.srt", "/a/film.und.srt", "/a/film.en-2.srt", "/a/film.x.srt", "/a/film.pt-BR.srt",
                "/a/film.und-2.srt",
            ]
        )
    }
}
