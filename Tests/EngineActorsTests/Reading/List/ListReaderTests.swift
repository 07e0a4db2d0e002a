// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineRuntime
import EngineTestKit
import Packaging
import Testing

@testable import Bindings
@testable import Reading

/// Lists of packed audio: segments of 75 frames of AAC, which are 1.6 s. The frames of a list are numbered.
@Suite("Reading a list of segments", .timeLimit(.minutes(10)))
struct ListReaderTests {
    private static let framesPerSegment = 75
    private static let length = MediaTime.seconds(1.6)

    /// A frame of a list.
    private struct Mark: Equatable, Sendable {
        let stream: Int
        let number: Int?
        let time: MediaTime
        let segment: Int?
    }

    private let thread = ReadingThread()

    private static func bytes(_ segment: Int) -> [UInt8] {
        ADTSBytes.stream(segment * framesPerSegment..<(segment + 1) * framesPerSegment)
    }

    private static func part(
        _ name: String,
        _ rendition: ListRendition? = nil,
        count: Int = 3,
        gap: Int? = nil
    ) -> ListPart {
        let entries = (0..<count).map { index in
            SegmentList.Entry(
                resource: ListedResource(url: "\(name)\(index)"),
                duration: length,
                isGap: index == gap
            )
        }
        return ListPart(SegmentList(entries), rendition)
    }

    private static func resources(_ names: [String], _ changed: [String: [UInt8]] = [:]) -> ScriptedResources {
        let bodies = names.flatMap { name in (0..<3).map { ("\(name)\($0)", bytes($0)) } }
        return ScriptedResources(Dictionary(uniqueKeysWithValues: bodies).merging(changed) { $1 })
    }

    private static func source(_ parts: [ListPart], _ resources: ScriptedResources) -> SegmentListSource {
        SegmentListSource(
            path: "list",
            isRemote: true,
            .init(parts: parts, digest: "1"),
            resources: resources,
            reload: { _, _ throws(EngineError) in throw EngineError(.internal, "a list was loaded again") }
        )
    }

    private static func reader(_ source: SegmentListSource) throws(EngineError) -> SourceReader {
        let reader = try SourceReader(file: source, for: .reading, edits: .any, interrupt: InterruptFlag())
        reader.prepareForPackets(of: Set(reader.streamInfos().map(\.index)))
        return reader
    }

    private static func mark(_ packet: Packet, _ reader: SourceReader) -> Mark {
        let base = reader.streamInfos()[packet.streamIndex].timeBase
        return Mark(
            stream: packet.streamIndex,
            number: ADTSBytes.number(of: packet.withBytes { span in span.indices.map { span[$0] } }),
            time: MediaTime(packet.pts ?? packet.dts ?? .min, in: base),
            segment: packet.position.map { ListPlace(position: $0).segment }
        )
    }

    private static func rest(_ reader: SourceReader) throws(EngineError) -> [Mark] {
        var marks: [Mark] = []
        while let packet = try reader.readPacket() { marks.append(mark(packet, reader)) }
        return marks
    }

    /// The frames of segments, one after another on one clock.
    private static func expected(_ segments: some Sequence<Int>, stream: Int = 0) -> [Mark] {
        segments.flatMap { segment in
            (0..<framesPerSegment).map { frame in
                Mark(
                    stream: stream,
                    number: segment * framesPerSegment + frame,
                    time: MediaTime(Int64(segment * framesPerSegment + frame) * 1024, in: TimeBase(1, 48_000)),
                    segment: stream == 0 ? segment : nil
                )
            }
        }
    }

    // MARK: A segment that is not complete

    /// A live playlist of segments of 1.6 s, each of which has two parts.
    private static func load(_ count: Int, open: Int = 0) throws -> ListContent {
        var lines = [
            "#EXTM3U", "#EXT-X-TARGETDURATION:2", "#EXT-X-PLAYLIST-TYPE:EVENT", "#EXT-X-PART-INF:PART-TARGET=0.8",
        ]
        lines += ["#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=2.4"]
        func parts(_ segment: Int, _ count: Int) -> [String] {
            (0..<count).map { "#EXT-X-PART:DURATION=0.8,URI=\"a\(segment).\($0)\"" }
        }
        for segment in 0..<count { lines += parts(segment, 2) + ["#EXTINF:1.6,", "a\(segment)"] }
        lines += parts(count, open)
        let bytes = Array(lines.joined(separator: "\n").utf8)
        guard case .media(let playlist) = try HLSPlaylist.parse(bytes, url: "http://host/a.m3u8") else {
            throw EngineError(.sourceNotMedia, "not a media playlist")
        }
        return ListContent(parts: [ListPart(try SegmentList(playlist, name: "a"), playlist: playlist)], digest: "1")
    }

    @Test("What has arrived of a segment is read without waiting for the rest")
    func arriving() async throws {
        let half = 40
        var bodies: [String: [UInt8]] = [:]
        for segment in 0..<3 {
            let all = Self.bytes(segment)
            bodies["http://host/a\(segment)"] = all
            bodies["http://host/a\(segment).0"] = Array(all.prefix(half * ADTSBytes.frameByteCount))
            bodies["http://host/a\(segment).1"] = Array(all.dropFirst(half * ADTSBytes.frameByteCount))
        }
        let loads = [try Self.load(1), try Self.load(1, open: 2), try Self.load(2), try Self.load(2, open: 1)]
        let rest = Locked(Array(loads.dropFirst()))
        let source = SegmentListSource(
            path: "list",
            isRemote: true,
            loads[0],
            resources: ScriptedResources(bodies),
            reload: { _, _ in rest.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] } }
        )
        let found = try await thread.run { () throws(EngineError) -> [Mark] in
            let reader = try Self.reader(source)
            // The second segment is fetched both ways, so the parts of the third one are used.
            try source.grow(untilPart: true, InterruptFlag())
            try source.grow(untilPart: true, InterruptFlag())
            reader.list?.enter(segments: 1...1)
            _ = try Self.rest(reader)
            guard reader.list?.enter(arriving: 2) == nil else { return [] }
            try source.grow(untilPart: true, InterruptFlag())
            guard reader.list?.enter(arriving: 2) == .seconds(0.8) else { return [] }
            return try Self.rest(reader)
        }
        #expect(found == Array(Self.expected(2..<3).prefix(half)))
    }

    // MARK: Formats of audio

    @Test("The format of the audio after a discontinuity is that of the first frame there, wherever reading begins")
    func formats() async throws {
        // 44.1 kHz instead of 48 kHz.
        let other = (0..<4).map { segment in
            ADTSBytes.stream(segment * Self.framesPerSegment..<(segment + 1) * Self.framesPerSegment).enumerated().map {
                $0.offset % ADTSBytes.frameByteCount == 2 ? 0x50 : $0.element
            }
        }
        let bodies = ["a0": Self.bytes(0), "a1": Self.bytes(1), "a2": other[2], "a3": other[3]]
        let entries = (0..<4).map { index in
            SegmentList.Entry(
                resource: ListedResource(url: "a\(index)"),
                duration: Self.length,
                isDiscontinuous: index == 2
            )
        }
        let source = Self.source([ListPart(SegmentList(entries))], ScriptedResources(bodies))
        let found = try await thread.run { () throws(EngineError) -> [ListedAudio?] in
            let reader = try Self.reader(source)
            reader.list?.enter(segments: 1...1)
            _ = try Self.rest(reader)
            let before = source.audio(of: 0, version: 1)
            guard !source.knowsAudio(of: 0, version: 1) else { return [] }
            reader.list?.enter(segments: 3...3)
            _ = try Self.rest(reader)
            return [source.audio(of: 0, version: 0), before, source.audio(of: 0, version: 1)]
        }
        #expect(found.count == 3 && found[0] == nil && found[1] == nil && source.knowsAudio(of: 0, version: 0))
        let audio = try #require(found.last ?? nil)
        #expect(
            audio.properties?.sampleRate == 44_100 && ADTSBytes.number(of: audio.frame) == 2 * Self.framesPerSegment
        )
    }

    @Test("Packets after a discontinuity state the number of their format")
    func formatNumbers() async throws {
        let entries = (0..<4).map { index in
            SegmentList.Entry(
                resource: ListedResource(url: "a\(index)"),
                duration: Self.length,
                isDiscontinuous: index == 2
            )
        }
        let source = Self.source([ListPart(SegmentList(entries))], Self.resources(["a"], ["a3": Self.bytes(3)]))
        let found = try await thread.run { () throws(EngineError) -> [Int] in
            let reader = try Self.reader(source)
            var formats: [Int] = []
            while let packet = try reader.readPacket() { formats.append(packet.format) }
            return formats
        }
        let half = found.count / 2
        #expect(half > 0 && Set(found.prefix(half)) == [0] && Set(found.suffix(half)) == [1])
        #expect(source.audio(numbered: 1)?.codec == .aac && source.audio(numbered: 0) == nil)
    }

    // MARK: One list

    @Test("Segments are read one after another, on one clock, with their places in the list")
    func succession() async throws {
        let found = try await thread.run { () throws(EngineError) in
            try Self.rest(Self.reader(Self.source([Self.part("a")], Self.resources(["a"]))))
        }
        #expect(found == Self.expected(0..<3))
    }

    @Test("After a seek, reading begins at the start of the segment with the time", arguments: [0, 1, 2, 1])
    func seek(segment: Int) async throws {
        let resources = Self.resources(["a"])
        let found = try await thread.run { () throws(EngineError) in
            let reader = try Self.reader(Self.source([Self.part("a")], resources))
            let base = reader.streamInfos()[0].timeBase
            let time = MediaTime.seconds(1.6 * Double(segment) + 1).ticks(in: base)
            do throws(FFmpegError) { try reader.seek(stream: 0, atOrBefore: time) } catch {
                throw EngineError(error, .internal, "seeking")
            }
            return try Self.rest(reader)
        }
        #expect(found == Self.expected(segment..<3))
        #expect(Set(resources.requests) == Set(["a0"] + (segment..<3).map { "a\($0)" }), "others are not fetched")
    }

    @Test("Reading ends after the last of the entered segments")
    func range() async throws {
        let found = try await thread.run { () throws(EngineError) in
            let reader = try Self.reader(Self.source([Self.part("a")], Self.resources(["a"])))
            reader.list?.enter(segments: 1...1)
            return try Self.rest(reader)
        }
        #expect(found == Self.expected(1...1))
    }

    @Test("A gap is skipped, and the packets after it keep their times")
    func gap() async throws {
        let resources = Self.resources(["a"])
        let found = try await thread.run { () throws(EngineError) in
            try Self.rest(Self.reader(Self.source([Self.part("a", gap: 1)], resources)))
        }
        #expect(found == Self.expected([0, 2]))
        #expect(!resources.requests.contains("a1"))
    }

    @Test("Damaged packets cost at most the rest of their segment")
    func damage() async throws {
        let whole = Self.bytes(1)
        let place = 40 * ADTSBytes.frameByteCount
        let damaged =
            Array(whole[..<place]) + ADTSBytes.damaged + ADTSBytes.damaged + ADTSBytes.damaged + whole[place...]
        let found = try await thread.run { () throws(EngineError) in
            let resources = Self.resources(["a"], ["a1": damaged])
            return try Self.rest(Self.reader(Self.source([Self.part("a")], resources)))
        }
        #expect(Array(found.prefix(115)) == Array(Self.expected(0..<2).prefix(115)))
        #expect(Array(found.suffix(75)) == Self.expected(2...2))
        #expect(found.count <= 225)
    }

    @Test(
        "Reading fails with the reason when a segment cannot be fetched or is not media",
        arguments: [("missing", EngineError.Code.sourceNotFound), ("text", .segmentFailed), ("cancelled", .cancelled)]
    )
    func failure(kind: String, code: EngineError.Code) async throws {
        var bodies = ["a0": Self.bytes(0), "a1": Self.bytes(1), "a2": Self.bytes(2)]
        if kind == "missing" { bodies["a1"] = nil }
        if kind == "text" { bodies["a1"] = Array("<html></html>".utf8) }
        let resources = ScriptedResources(bodies, interrupting: kind == "cancelled" ? "a1" : nil)
        let (count, error) = try await thread.run { () throws(EngineError) in
            let reader = try Self.reader(Self.source([Self.part("a")], resources))
            var count = 0
            do throws(EngineError) {
                while try reader.readPacket() != nil { count += 1 }
                return (count, EngineError?.none)
            } catch {
                return (count, error)
            }
        }
        #expect(count == Self.framesPerSegment && error?.code == code)
    }

    // MARK: Several lists

    private static let german = ListRendition(name: "Deutsch", language: "de", dispositions: ["default"])

    private static func pair() -> (SegmentListSource, ScriptedResources) {
        let resources = resources(["a", "b"])
        return (source([part("a"), part("b", german)], resources), resources)
    }

    @Test("The packets of two lists come in the order of their times, each with the stream of its list")
    func merged() async throws {
        let found = try await thread.run { () throws(EngineError) in try Self.rest(Self.reader(Self.pair().0)) }
        #expect(found.filter { $0.stream == 0 } == Self.expected(0..<3))
        #expect(found.filter { $0.stream == 1 } == Self.expected(0..<3, stream: 1))
        #expect(found.map(\.time) == found.map(\.time).sorted())
    }

    @Test("A list of which no stream is kept is not fetched")
    func kept() async throws {
        let (source, resources) = Self.pair()
        let found = try await thread.run { () throws(EngineError) in
            let reader = try Self.reader(source)
            reader.keep(only: [1])
            return try Self.rest(reader)
        }
        #expect(found == Self.expected(0..<3, stream: 1))
        #expect(!resources.requests.contains("a1") && resources.requests.contains("b2"))
    }

    @Test("Another list is entered at the segment for a time of the leading list, or some segments earlier")
    func other() async throws {
        let time = Int64(3.3 * 28_224_000)
        let found = try await thread.run { () throws(EngineError) in
            let reader = try Self.reader(Self.pair().0)
            reader.keep(only: [1])
            var found: [Int?] = []
            for back in [0, 1, 2, 9] {
                let isFirst = try reader.list?.enter(list: 1, at: time, of: 0, back: back)
                #expect(isFirst == (back >= 2))
                found.append(try reader.readPacket().flatMap { Self.mark($0, reader).number })
            }
            return found
        }
        #expect(found == [150, 75, 0, 0])
    }

    @Test("A stream of another list has the name and language that the playlist gives it")
    func description() async throws {
        let (media, haveOwnPlaylists) = try await thread.run { () throws(EngineError) in
            let reader = try Self.reader(Self.pair().0)
            return (
                MediaDescription(declaredBy: reader),
                (reader.haveOwnPlaylists([1]), reader.haveOwnPlaylists([0]), reader.haveOwnPlaylists([0, 1]))
            )
        }
        #expect(media.streams.map(\.language) == ["", "de"] && media.streams[1].title == "Deutsch")
        #expect(media.duration == .seconds(4.8) && media.container == "hls")
        #expect(haveOwnPlaylists == (true, false, false))
    }
}
