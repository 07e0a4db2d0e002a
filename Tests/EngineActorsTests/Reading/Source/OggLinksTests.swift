// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineTestKit
import Testing

@testable import Bindings
@testable import Packaging
@testable import Reading

@Suite("Links of chained Ogg")
struct OggLinksTests {
    /// Three links of a header page of 128 bytes and two pages of 228 bytes each.
    private static let file = ScriptedByteStore(
        (0..<3).flatMap { _ in page(flags: 2, 100) + page(flags: 0, 200) + page(flags: 4, 200) }
    )
    private static let linkByteCount: Int64 = 584

    private static func page(flags: UInt8, _ count: UInt8) -> [UInt8] {
        Array("OggS".utf8) + [0, flags] + [UInt8](repeating: 0, count: 20) + [1, count]
            + [UInt8](repeating: 0x4F, count: Int(count))
    }

    /// A plan with a segment for each page with audio.
    private static func plan(jumps: ClosedRange<Int64>?) -> SegmentPlan {
        let positions = (0..<3).flatMap { link in [128, 356].map { Int64(link) * linkByteCount + $0 } }
        return SegmentPlan(
            timeBase: .hertz(1),
            boundaries: positions.enumerated().map {
                Keyframe(time: Int64($0.offset), seekTimestamp: 0, position: $0.element)
            },
            end: 6,
            origin: .scan,
            jumps: (jumps.map(Array.init) ?? []).map {
                ClockJump(firstSegment: Int($0) * 2, position: $0 * linkByteCount + 128, offset: 0, start: 0)
            }
        )
    }

    @Test("a byte is found in its link, which extends from its first header page to that of the next one")
    func links() throws {
        var links = OggLinks()
        links.follow(Self.plan(jumps: 1...2))
        #expect(try links.link(at: 584 + 128, in: Self.file) == 584..<1168)
        #expect(links.start == 584)
        // It is open.
        #expect(try links.link(at: 584 + 356, in: Self.file) == nil)
        #expect(try links.link(at: 356, in: Self.file) == 0..<584)
        #expect(try links.next(in: Self.file) == 584..<1168)
        #expect(try links.next(in: Self.file) == 1168..<Int64.max)
        #expect(try links.next(in: Self.file) == nil)
        links.close()
        #expect(try links.start == 0 && links.next(in: Self.file) == nil)
    }

    @Test("the last known link ends where a longer plan says that the next one begins")
    func growing() throws {
        var links = OggLinks()
        links.follow(Self.plan(jumps: nil))
        #expect(try links.link(at: 128, in: Self.file) == nil)
        links.follow(Self.plan(jumps: 1...1))
        #expect(try links.link(at: 1000, in: Self.file) == 584..<Int64.max)
        links.follow(Self.plan(jumps: 1...2))
        #expect(try links.link(at: 1000, in: Self.file) == 584..<1168)
    }

    @Test("the headers of later links are not taken for audio")
    func headers() {
        let streams = [info(0, .vorbis, Self.vorbis(setup: 1).privateData), info(1, .flac), info(2, .opus)]
        var headers = LinkHeaders(streams: streams, first: streams)
        for (stream, bytes, isHeader) in [
            (0, [1, 0x76], true), (0, [5], true), (0, [4, 1], false), (0, [], false),
            (1, Array("\u{7F}FLAC".utf8), true), (1, [4, 0, 0, 1], true), (1, [0xFF, 0xF8, 0x39, 0x18, 0, 0], false),
            (2, [1], false),
        ] as [(Int, [UInt8], Bool)] {
            #expect((headers.audio(Packet(bytes, stream: stream, pts: 0)) == nil) == isHeader)
        }
        var times = AudioTimes(streams: streams, in: ContainerFormat(name: "ogg"))
        #expect(times.completed(Packet([1], stream: 0, pts: 0)) == nil)
        var others = AudioTimes(streams: streams, in: ContainerFormat(name: "matroska,webm"))
        #expect(others.completed(Packet([1], stream: 0, pts: 0)) != nil)
    }

    @Test("Vorbis with other headers carries them, with times in ticks of the first link")
    func otherHeaders() throws {
        let (one, other) = (Self.vorbis(setup: 1), Self.vorbis(setup: 2, rate: 24_000))
        let streams = [info(0, .vorbis, one.privateData)]
        var headers = LinkHeaders(streams: streams, first: streams)
        let packet = Packet([0], stream: 0, pts: 24_000, dts: 24_000, duration: 48)
        for (link, privateData, seconds) in [(other, other.privateData, 1.0), (one, nil, 0.5)]
            as [(VorbisHeaders, [UInt8]?, Double)]
        {
            for header in link.packets { #expect(headers.audio(Packet(header, stream: 0, pts: 0)) == nil) }
            let found = headers.audio(packet)
            let audio = try #require(found)
            #expect(audio.newPrivateData == privateData)
            #expect(audio.pts == Int64(seconds * 48_000) && audio.duration == Int64(seconds * 96))
        }
        // Reading begins in the other link.
        var later = LinkHeaders(streams: [info(0, .vorbis, other.privateData)], first: streams)
        #expect(later.audio(packet)?.newPrivateData == other.privateData)
    }

    @Test("the headers of Vorbis are found in private data, and nothing else is")
    func privateData() {
        for count in [0, 254, 255, 600] {
            let headers = Self.vorbis(setup: 1, comment: count)
            #expect(VorbisHeaders(privateData: headers.privateData) == headers)
            #expect(headers.timeBase == .hertz(48_000))
        }
        let whole = Self.vorbis(setup: 1).privateData
        for count in 0..<36 { #expect(VorbisHeaders(privateData: Array(whole.prefix(count))) == nil) }
        #expect(VorbisHeaders(privateData: [1] + whole.dropFirst()) == nil)
    }

    private static func vorbis(setup: UInt8, rate: UInt32 = 48_000, comment: Int = 3) -> VorbisHeaders {
        let rate = (0..<4).map { UInt8(truncatingIfNeeded: rate >> (8 * $0)) }
        let packets: [[UInt8]] = [
            [1] + [UInt8](repeating: 0, count: 10) + [2] + rate + [UInt8](repeating: 0, count: 12) + [0xB8, 1],
            [3] + [UInt8](repeating: 9, count: comment), [5, setup],
        ]
        guard let headers = VorbisHeaders(packets) else { preconditionFailure("the headers are whole") }
        return headers
    }

    private func info(_ index: Int, _ codec: CodecID, _ extradata: [UInt8] = []) -> StreamInfo {
        StreamInfo(
            index: index,
            identifier: index,
            codec: codec,
            kind: .audio,
            timeBase: .hertz(48_000),
            extradata: extradata,
            initialPadding: 0,
            frameLength: 0,
            startTime: nil,
            duration: nil,
            width: 0,
            height: 0
        )
    }
}
