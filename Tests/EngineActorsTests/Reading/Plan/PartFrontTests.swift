// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineTestKit
import Packaging
import Testing

@testable import Bindings
@testable import Reading

@Suite("The parts of a segment that a scan knows")
struct PartFrontTests {
    /// Ticks are milliseconds.
    private let tracks = [PlayedTrack.fixture()]

    @Test("parts are known up to the decode time of all tracks, but not past the last picture before a boundary")
    func advances() {
        var front = PartFront(of: tracks)
        #expect(front.length == 400 && front.count == 0 && front.settled == nil)
        func advance(to decoded: Int64, lead: Int64? = nil, at start: Int64?, isEnding: Bool = false) {
            front.advance(to: decoded, lead: lead ?? decoded, inSegmentAt: start, isEnding: isEnding)
        }
        advance(to: 900, at: nil)
        #expect(front.settled == nil)
        advance(to: .min, lead: 500, at: 0)
        #expect(front.settled == nil)
        advance(to: 900, lead: 1100, at: 0)
        #expect(front.settled == 900 && front.count == 2)
        // A packet of a lagging track does not make a known part unknown.
        advance(to: 700, lead: 1100, at: 0)
        #expect(front.settled == 900)
        // The last picture before the next keyframe is decoded at 1900.
        advance(to: 1500, lead: 1900, at: 0)
        advance(to: 1700, lead: 1940, at: 0, isEnding: true)
        #expect(front.settled == 1700 && front.count == 4)
        advance(to: 2100, lead: 2100, at: 0, isEnding: true)
        #expect(front.settled == 1900)
        advance(to: 2100, at: 2000)
        #expect(front.settled == 2100 && front.count == 0)
        advance(to: 2500, at: nil)
        #expect(front.settled == nil && front.count == 0)
    }

    private func live(_ packets: [Packet]) -> [Scanner.Batch] {
        var scan = PlanScan(
            of: [.fixture(container: "mpegts"), .fixture(.aac, stream: 1, container: "mpegts")],
            in: ContainerFormat(name: "mpegts"),
            target: .seconds(2),
            interleaving: .live,
            hasParts: true
        )
        return packets.map { packet in
            scan.add(packet, offset: packet.position ?? 0)
            return scan.batch(progress: 0)
        }
    }

    /// Pictures of 40 ms with a keyframe every two seconds, each decoded 80 ms before it is shown, and frames of audio
    /// of the same length, which arrive `late` milliseconds after the pictures.
    private func stream(seconds: Int64, late: Int64) -> [Packet] {
        let pictures = stride(from: Int64(0), to: seconds * 1000, by: 40).map { time in
            (
                time,
                Packet(
                    [1],
                    stream: 0,
                    pts: time + 80,
                    dts: time,
                    duration: 40,
                    flags: time % 2000 == 0 ? .key : [],
                    position: time * 10
                )
            )
        }
        let audio = stride(from: Int64(0), to: seconds * 1000, by: 40).map { time in
            (
                time + late,
                Packet(
                    [1],
                    stream: 1,
                    pts: time,
                    dts: time,
                    duration: 40,
                    flags: .key,
                    position: (time + late) * 10 + 1
                )
            )
        }
        return (pictures + audio).sorted { $0.0 < $1.0 }.map(\.1)
    }

    @Test(
        "no later packet moves a known part, and all parts of a segment become known",
        arguments: [0, 200, 600]
    )
    func parts(late: Int64) throws {
        let packets = stream(seconds: 9, late: late)
        let batches = live(packets)
        let final = try #require(batches.last?.plan)
        #expect(final.segmentCount >= 3)
        var known: [Int: Int] = [:]
        for (packet, batch) in zip(packets, batches) {
            let open = batch.plan.segmentCount
            let parts = batch.plan.parts(of: open)
            known[open] = max(known[open] ?? 0, parts.count)
            for segment in 0...open where segment < final.segmentCount {
                #expect(final.parts(of: segment).starts(with: batch.plan.parts(of: segment)))
            }
            // The last known part ends no later than the media that has arrived.
            if let end = parts.last, packet.streamIndex == 1, let time = packet.dts { #expect(end <= time + late) }
        }
        // Five parts of 400 ms each; the last one becomes known with the boundary.
        for segment in 1..<final.segmentCount { #expect(known[segment] == 5, "segment \(segment)") }
    }
}
