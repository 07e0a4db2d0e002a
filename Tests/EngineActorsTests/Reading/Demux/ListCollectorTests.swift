// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineTestKit
import Packaging
import Testing

@testable import Bindings
@testable import Reading

/// Segments of 160 ms: four pictures of 40 ms, eight audio frames of 20 ms.
@Suite("Sorting the packets of a list into a segment")
struct ListCollectorTests {
    private static let plan = DescribedSource.plan(segments: 4, of: 160)
    private static let script = PacketScript(frame: 40)
    private static let audio = PacketScript(stream: 1, frame: 20)

    private func packets(_ script: PacketScript, _ line: String, of segment: Int) -> [Packet] {
        script.packets(line, from: ListPlace(segment: segment).position)
    }

    private func times(
        _ packets: [Packet],
        segment index: Int,
        active: Set<Int> = [0, 1],
        stopsAtPicture: Bool = false,
        isAligned: Bool = true
    ) throws -> (times: [[Int64]], read: Int) {
        var source = DescribedSource()
        source.hasAudio = true
        let tracks = try source.opened().tracks
        let cut = try #require(SegmentCut(index: index, of: Self.plan, trackEnds: [nil, nil]))
        var collector = ListCollector(
            cut: cut,
            tracks: tracks,
            active: active,
            isContiguous: false,
            stopsAtPicture: stopsAtPicture,
            isAligned: isAligned
        )
        let read = packets.firstIndex { collector.add($0) }.map { $0 + 1 } ?? packets.count
        let finished = collector.finish()
        let material = try #require(finished)
        #expect(material.index == index && material.parts.allSatisfy { $0?.next == nil })
        return (material.parts.map { $0?.packets.map(\.time) ?? [] }, read)
    }

    @Test("pictures of another codec, before and after a segment, do not belong to it", arguments: [true, false])
    func otherCodec(isAligned: Bool) throws {
        func changed(_ packets: [Packet]) -> [Packet] {
            packets.map { packet in
                packet.listed(
                    stream: 0,
                    pts: packet.pts,
                    dts: packet.dts,
                    duration: packet.duration,
                    position: packet.position,
                    format: 2
                )
            }
        }
        let own = packets(Self.script, "K4 5 6 7", of: 1)
        let others = [changed(packets(Self.script, "K0 1 2 3", of: 0)), changed(packets(Self.script, "K8 9", of: 2))]
        let found = try times(others[0] + own + others[1], segment: 1, active: [0], isAligned: isAligned)
        #expect(found.times[0] == [160, 200, 240, 280])
        // The first packet of the next segment shows that this one is complete.
        #expect(found.read == 9)
    }

    @Test("packets belong to the segment that holds them, however far their times are from the playlist's")
    func byResource() throws {
        let mixed =
            packets(Self.script, "K3 4", of: 0) + packets(Self.script, "K9 10 11", of: 1)
            + packets(Self.audio, "21 22", of: 1) + packets(Self.script, "K12", of: 2)
        let found = try times(mixed, segment: 1)
        #expect(found.times == [[360, 400, 440], [420, 440]])
        #expect(found.read == mixed.count)
    }

    @Test(
        "the parts of a segment are counted from its first picture, wherever the playlist places it",
        arguments: [3, 4, 9]
    )
    func parts(first: Int64) throws {
        var source = DescribedSource()
        source.hasAudio = true
        let cut = try #require(SegmentCut(index: 1, of: Self.plan, trackEnds: [nil, nil]))
        var collector = ListCollector(
            cut: cut,
            tracks: try source.opened().tracks,
            active: [0, 1],
            isContiguous: false
        )
        for packet in packets(Self.script, "K\(first) \(first + 1)", of: 1) + packets(Self.audio, "20", of: 1) {
            _ = collector.add(packet)
        }
        let finished = collector.finish()
        let material = try #require(finished)
        #expect(material.parts.map { $0?.delayOfParts } == [first * 40 - 160, first * 40 - 160])
    }

    @Test("pictures stay in decode order, with their own times")
    func reordered() throws {
        #expect(try times(packets(Self.script, "K4 7 5 6", of: 1), segment: 1).times == [[160, 280, 200, 240], []])
    }

    @Test("unless segments begin with keyframes, the pictures before the first keyframe belong to the previous segment")
    func unaligned() throws {
        let mixed =
            packets(Self.script, "3 K4 5 6", of: 1) + packets(Self.audio, "8 9", of: 1)
            + packets(Self.script, "7 8 K9 10", of: 2)
        let found = try times(mixed, segment: 1, isAligned: false)
        #expect(found.times == [[160, 200, 240, 280, 320], [160, 180]])
        #expect(found.read == mixed.count - 1)
        let first = try times(packets(Self.script, "1 K4", of: 0), segment: 0, isAligned: false)
        #expect(first.times == [[40, 160], []])
    }

    @Test("a segment may have no packets of one track, or of any")
    func empty() throws {
        #expect(try times(packets(Self.script, "K4", of: 1), segment: 1, active: [0]).times == [[160], []])
        #expect(try times([], segment: 1).times == [[], []])
    }

    @Test("reading one picture ends with the packet after it")
    func onePicture() throws {
        let found = try times(packets(Self.script, "K4 5 6 7", of: 1), segment: 1, active: [0], stopsAtPicture: true)
        #expect(found.times == [[160, 200], []] && found.read == 2)
    }
}
