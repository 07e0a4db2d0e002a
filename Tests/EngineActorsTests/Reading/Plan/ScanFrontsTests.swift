// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Packaging
import Testing

@testable import Bindings
@testable import Reading

@Suite("How far a scan has come")
struct ScanFrontsTests {
    private let tracks: [PlayedTrack] = [.fixture(container: "mpegts"), .fixture(.aac, stream: 1, container: "mpegts")]

    private func packet(_ stream: Int, pts: Int64?, dts: Int64? = nil, position: Int64? = nil) -> Packet {
        Packet([1], stream: stream, pts: pts, dts: dts, duration: 40, position: position)
    }

    @Test("a packet without a position is at its track's latest one, or at the read position")
    func positions() {
        var fronts = ScanFronts(of: tracks, in: ContainerFormat(name: "mpegts"))
        let found = [
            fronts.position(of: packet(0, pts: 0), 0, offset: 9),
            fronts.position(of: packet(0, pts: 0, position: 5), 0, offset: 9),
            fronts.position(of: packet(0, pts: 0), 0, offset: 9),
            fronts.position(of: packet(1, pts: 0), 1, offset: 9),
        ]
        #expect(found == [9, 5, 5, 9])
        #expect([0, 1, 2].map { fronts.place(of: packet($0, pts: 0)) } == [0, 1, nil])
    }

    @Test("the track that lags furthest behind counts; while a track has no packets, nothing has been reached")
    func slowest() {
        var fronts = ScanFronts(of: tracks, in: ContainerFormat(name: "mpegts"))
        #expect(fronts.front == nil && fronts.slowest == .min)
        fronts.reach(1000, with: packet(0, pts: 1000), 0)
        let front = fronts.front
        #expect(front != nil && fronts.slowest == .min)
        fronts.reach(200, with: packet(1, pts: 200), 1)
        #expect(fronts.slowest == 240)
        fronts.reach(100, with: packet(1, pts: 100), 1)
        #expect(fronts.slowest == 240, "an end does not move back")
        fronts.reach(2000, with: packet(1, pts: 2000), 1)
        #expect(fronts.slowest == front)
        #expect(fronts.trackEnds(isComplete: false) == [nil, nil])
        #expect(fronts.trackEnds(isComplete: true)[1] == .seconds(2.04))
    }

    @Test(
        "the last picture of an MP4 file lasts as long as it states; in other containers, as long as others",
        arguments: [("mov,mp4,m4a,3gp,3g2,mj2", 1025), ("mpegts", 1000 + PlayedTrack.fixture().nominalDuration)]
    )
    func lastPicture(container: String, end: Int64) {
        var fronts = ScanFronts(of: tracks, in: ContainerFormat(name: container))
        fronts.reach(1000, with: Packet([1], stream: 0, pts: 1000, dts: nil, duration: 25), 0)
        #expect(fronts.front == end)
    }

    @Test("what a scan finds is numbered after the segments of an earlier process")
    func earlier() {
        let earlier = EarlierSegments(2, from: 100, length: 50)
        #expect(earlier.boundaries.map(\.time) == [100, 150])
        #expect(earlier.boundaries.allSatisfy { $0.position == SegmentPlan.nowhere })
        let changes = [ConfigurationChange(firstSegment: 1, privateData: [7])]
        #expect(earlier.renumbered(changes) == [ConfigurationChange(firstSegment: 3, privateData: [7])])
        let jumps = [ClockJump(firstSegment: 0, position: 5, offset: 6, start: 7)]
        #expect(earlier.renumbered(jumps) == [ClockJump(firstSegment: 2, position: 5, offset: 6, start: 7)])
        #expect(EarlierSegments.none.renumbered(changes) == changes)
    }
}
