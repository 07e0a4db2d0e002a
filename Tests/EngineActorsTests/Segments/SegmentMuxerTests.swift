// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineTestKit
import Testing

@testable import Bindings
@testable import Packaging
@testable import Reading
@testable import Segments

@Suite("Packing a segment")
struct SegmentMuxerTests {
    private static let plan = DescribedSource.plan(segments: 4, of: 160)

    private func bytes(_ body: ByteBody?) -> [UInt8] {
        (body?.regions ?? []).flatMap { region in region.withBytes { span in span.indices.map { span[$0] } } }
    }

    private func timed(_ packets: [Packet]) -> [TimedPacket] {
        packets.map { TimedPacket(packet: $0, time: $0.pts ?? 0) }
    }

    private func part(_ packets: [TimedPacket], start: Int64 = 160, next: Int64? = 320) -> SegmentMaterial.Part {
        SegmentMaterial.Part(packets: packets, start: start, next: next)
    }

    private func build(
        _ parts: [SegmentMaterial.Part?],
        of source: OpenedSource
    ) -> SegmentMuxer.Built {
        let material = SegmentMaterial(index: 1, parts: parts)
        return SegmentMuxer.build(
            material,
            BridgedTracks(),
            of: source,
            by: Self.plan,
            ends: source.tracks.map { _ in nil }
        )
    }

    private func sample(_ packet: Packet, at time: Int64, _ offset: Int32 = 0, lasting duration: UInt32) -> Sample {
        Sample(
            decodeTime: time,
            compositionOffset: offset,
            duration: duration,
            isSync: packet.isKey,
            payload: packet
        )
    }

    @Test("pictures keep decoding order; the last picture lasts until the next segment")
    func pictures() throws {
        var described = DescribedSource()
        described.delay = 40
        let source = try described.opened()
        let packets = PacketScript(stream: 0, frame: 40).packets("K4 6 5")
        let built = build([part(timed(packets))], of: source)
        let expected = MediaSegment.body(
            sequenceNumber: 2,
            track: source.lead.track,
            samples: [
                sample(packets[0], at: 160, 40, lasting: 40),
                sample(packets[1], at: 200, 80, lasting: 40),
                sample(packets[2], at: 240, 0, lasting: 80),
            ]
        )
        #expect(bytes(built.bodies[0]) == bytes(expected))
        #expect(built.droppedPackets == 0)
    }

    @Test("the parts of a segment are delayed as much as its first picture")
    func parts() throws {
        let source = try DescribedSource().opened()
        let packets = PacketScript(stream: 0, frame: 10).packets("K18 22 26 30")
        var part = part(timed(packets), next: 340)
        part.delayOfParts = 20
        var plan = Self.plan
        plan.partLength = 80
        let built = SegmentMuxer.build(
            SegmentMaterial(index: 1, parts: [part]),
            BridgedTracks(),
            of: source,
            by: plan,
            ends: [nil]
        )
        let samples = zip(packets, [180, 220, 260, 300]).map { sample($0, at: $1, lasting: 40) }
        let expected = MediaSegment.body(
            number: 1,
            track: source.lead.track,
            samples: samples,
            dividedAt: [260],
            emptyAt: 160
        )
        #expect(bytes(built.bodies[0]) == bytes(expected))
    }

    @Test("a gap within audio is filled by the frame before it; a long gap at the end is not filled")
    func audioGaps() throws {
        var described = DescribedSource()
        described.hasAudio = true
        let source = try described.opened()
        let packets = PacketScript(stream: 1, frame: 20).packets("8 10 11")
        let track = source.tracks[1].track
        func expected(last: UInt32) -> [UInt8] {
            let slots: [(Int64, UInt32)] = [(160, 40), (200, 20), (220, last)]
            let samples = zip(packets, slots).map { packet, slot in
                Sample(
                    decodeTime: slot.0,
                    compositionOffset: 0,
                    duration: slot.1,
                    isSync: true,
                    payload: packet
                )
            }
            return bytes(MediaSegment.body(sequenceNumber: 2, track: track, samples: samples))
        }
        for (next, last): (Int64?, UInt32) in [(nil, 20), (240, 20), (300, 80), (5000, 20)] {
            let built = build([nil, part(timed(packets), next: next)], of: source)
            #expect(bytes(built.bodies[1]) == expected(last: last), "next \(String(describing: next))")
            #expect(built.bodies[0] == nil, "it was not asked for")
        }
    }

    @Test("when the clock of the audio steps back, audio is dropped until the time before the step is reached again")
    func overlap() throws {
        var described = DescribedSource()
        described.hasAudio = true
        let source = try described.opened()
        let packets = PacketScript(stream: 1, frame: 20).packets("8 9 10 11 9 10 11 12")
        let built = build([nil, part(timed(packets))], of: source)
        let kept = build([nil, part(timed(Array(packets[0..<4] + packets[7...])))], of: source)
        #expect(bytes(built.bodies[1]) == bytes(kept.bodies[1]))
        #expect(try #require(built.bodies[1]).regions.count == 6, "the boxes and five payloads")
    }

    @Test("a track without packets is marked as empty at the segment's start")
    func empty() throws {
        let source = try DescribedSource().opened()
        let built = build([part([], next: nil)], of: source)
        let expected = MediaSegment.body(sequenceNumber: 2, track: source.lead.track, samples: [], emptyAt: 160)
        #expect(bytes(built.bodies[0]) == bytes(expected))
    }

    @Test("in a keyframe segment, the keyframe lasts until the next segment")
    func keyframe() throws {
        let source = try DescribedSource().opened()
        let packets = PacketScript(stream: 0, frame: 40).packets("K4 5")
        let material = SegmentMaterial(index: 1, parts: [part(timed(packets))])
        let body = try SegmentMuxer.keyframe(material, of: source, by: Self.plan, ends: [nil])
        let expected = MediaSegment.body(
            sequenceNumber: 2,
            track: source.lead.track,
            samples: [sample(packets[0], at: 160, lasting: 160)]
        )
        #expect(bytes(body) == bytes(expected))
    }

    @Test("a keyframe segment without a picture is empty in a list, and missing in any other source")
    func missingKeyframe() throws {
        var described = DescribedSource()
        let material = SegmentMaterial(index: 1, parts: [part([], next: nil)])
        #expect(try SegmentMuxer.keyframe(material, of: described.opened(), by: Self.plan, ends: [nil]) == nil)
        described.container = "hls"
        let source = try described.opened()
        let body = try SegmentMuxer.keyframe(material, of: source, by: Self.plan, ends: [nil])
        let expected = MediaSegment.body(sequenceNumber: 2, track: source.lead.track, samples: [], emptyAt: 160)
        #expect(bytes(body) == bytes(expected))
    }

    @Test("a track that only the software path plays has no segments")
    func unserved() throws {
        var described = DescribedSource()
        described.isServed = false
        let packets = PacketScript(stream: 0, frame: 40).packets("K4 5")
        #expect(build([part(timed(packets))], of: try described.opened()).bodies.isEmpty)
    }
}
