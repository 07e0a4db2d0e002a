// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Packaging
import Testing

@testable import Bindings
@testable import Reading

@Suite("Verifying a container's index")
struct ContainerIndexTests {
    /// An index of keyframes. In AVI, their packets begin 8 bytes after the positions of their entries.
    private struct IndexFixture {
        /// In milliseconds, like all times here.
        var times = Array(stride(from: Int64(0), to: 100_000, by: 4000))
        var end: Int64 = 100_000
        /// The times of entries whose packets are not keyframes.
        var wrong: Set<Int64> = []
        /// The times of entries that lie where the file cannot be read.
        var unreadable: Set<Int64> = []
        var isTailComplete = true
        var isRemote = false
        var byteCount: Int64 = 1 << 30
        var container = "avi"
        var firstPacket: Int64? = 0
        /// The times of entries that an edit list hides.
        var hidden: Set<Int64> = []
        var offsets: CompositionOffsets?
        var origin = TimelineOrigin.zero

        var index: ContainerIndex {
            ContainerIndex(
                container: ContainerFormat(name: container),
                isRemote: isRemote,
                byteCount: byteCount,
                entries: times.map { time in
                    IndexEntry(
                        timestamp: time,
                        position: time * 10,
                        byteCount: 100,
                        isKey: true,
                        isDiscarded: hidden.contains(time)
                    )
                },
                offsets: offsets,
                lastPackets: end > 0 ? [0: .init(time: end - 40, duration: 40)] : [:],
                isTailComplete: isTailComplete
            )
        }

        func plan(for track: PlayedTrack = .fixture(container: "avi")) -> Result<SegmentPlan, ContainerIndex.Distrust> {
            let limits = SegmentPlanner.Limits(target: .seconds(4), timeBase: track.stream.timeBase)
            let first = firstPacket.map { Packet(VP9Fixture.keyframe, stream: 0, pts: $0, dts: $0, flags: .key) }
            return index.plan(for: track, limits: limits, firstPacket: first) { (offset, _) throws(EngineError) in
                let time = (offset - (container == "avi" ? 8 : 0)) / 10
                if unreadable.contains(time) { throw EngineError(.sourceReadFailed, "test") }
                return wrong.contains(time) ? VP9Fixture.frame : VP9Fixture.keyframe
            }
        }
    }

    private func boundaries(_ fixture: IndexFixture) -> [Int64]? {
        switch fixture.plan() {
        case .success(let plan): plan.boundaries.map(\.time)
        case .failure: nil
        }
    }

    private func reason(_ fixture: IndexFixture) -> String? {
        if case .failure(let distrust) = fixture.plan() { distrust.text } else { nil }
    }

    @Test("An index that lists every frame as a keyframe is detected, even on a server, where few entries are verified")
    func framesAsKeyframes() {
        let times = Array(stride(from: Int64(0), to: 96_000, by: 40))
        let keyframes = stride(from: Int64(0), to: 96_000, by: 960)
        for isRemote in [false, true] {
            var fixture = IndexFixture(times: times, end: 96_000, isRemote: isRemote)
            #expect(boundaries(fixture)?.contains { $0 % 960 != 0 } == true)
            fixture.wrong = Set(times).subtracting(keyframes)
            #expect(boundaries(fixture)?.contains { $0 % 960 != 0 } == false)
        }
    }

    @Test("On a server, an index of any length is verified within its bounds", arguments: 1..<40)
    func lengths(count: Int) {
        let times = (0..<Int64(count)).map { $0 * 4000 }
        let fixture = IndexFixture(times: times, end: Int64(count) * 4000, isRemote: true)
        #expect(boundaries(fixture) == times)
    }

    @Test("a complete and correct index becomes the plan")
    func whole() throws {
        let fixture = IndexFixture()
        let plan = try fixture.plan().get()
        #expect(plan.boundaries.map(\.time) == fixture.times)
        #expect(plan.end == 100_000 && plan.origin == .index && plan.changes.isEmpty)
        #expect(fixture.index.end(of: .fixture(container: "avi")) == .seconds(100))
    }

    @Test("entries that are not random access points are left out, if the others make a plan")
    func someWrong() {
        var fixture = IndexFixture()
        (fixture.wrong, fixture.unreadable) = ([8000], [12_000])
        #expect(boundaries(fixture) == fixture.times.filter { $0 != 8000 && $0 != 12_000 })
    }

    @Test("an index is rejected with its reason")
    func rejected() {
        let cases: [(String, (inout IndexFixture) -> Void)] = [
            ("the index ends long before the source", { $0.isTailComplete = false }),
            ("the index ends long before the source", { $0.end = 0 }),
            ("the index ends long before the source", { $0.end = 200_000 }),
            ("the index contains no keyframe", { $0.byteCount = 10 }),
            ("the index does not start with the first keyframe", { $0.firstPacket = 40 }),
            ("the index has a gap", { $0.times.removeAll { (20_000...60_000).contains($0) } }),
            ("the composition times cannot be read", { $0.container = "mov,mp4" }),
            (
                "some index entries are not random access points, and without them the index is empty",
                { $0.wrong = Set($0.times) }
            ),
            (
                "some index entries are not random access points, and without them the index starts late",
                { $0.wrong = Set($0.times.prefix(5)) }
            ),
        ]
        for (expected, change) in cases {
            var fixture = IndexFixture()
            change(&fixture)
            #expect(reason(fixture) == expected)
        }
    }

    @Test("the index of a truncated file is used up to the end of the file")
    func truncated() throws {
        var fixture = IndexFixture()
        fixture.byteCount = 500_000
        fixture.end = 52_000
        #expect(boundaries(fixture) == fixture.times.filter { $0 * 10 <= 500_000 - 100 })
    }

    /// An MP4 file whose edit list hides samples.
    private func edited(_ hidden: Set<Int64>) -> IndexFixture {
        var fixture = IndexFixture()
        (fixture.container, fixture.offsets, fixture.hidden) = ("mov,mp4", CompositionOffsets(offsets: []), hidden)
        return fixture
    }

    @Test("samples that an edit list hides at the end are not part of the track")
    func hiddenEnd() throws {
        let fixture = edited([92_000, 96_000])
        let plan = try fixture.plan(for: .fixture(container: "mov,mp4")).get()
        #expect(plan.end == 88_040 && plan.boundaries.last?.time == 84_000)
        #expect(plan.keyframes.times == fixture.times.filter { $0 < 92_000 })
        #expect(fixture.index.end(of: .fixture(container: "mov,mp4")) == .seconds(88.04))
    }

    @Test("hidden samples at the start are kept from the keyframe at which decoding begins")
    func hiddenStart() throws {
        let track = PlayedTrack.fixture(container: "mov,mp4", origin: TimelineOrigin(.seconds(6)))
        #expect(try edited([0, 4000]).plan(for: track).get().boundaries.first?.time == 4000)
        let aligned = PlayedTrack.fixture(container: "mov,mp4", origin: TimelineOrigin(.seconds(8)))
        #expect(try edited([0, 4000]).plan(for: aligned).get().boundaries.first?.time == 8000)
    }

    @Test("an index in which an edit list repeats samples is rejected")
    func repeated() {
        var fixture = edited([4000])
        fixture.times.append(4000)
        guard case .failure(let distrust) = fixture.plan(for: .fixture(container: "mov,mp4")) else {
            Issue.record("the index was accepted")
            return
        }
        #expect(distrust.text == "the composition times cannot be read")
    }

    @Test("audio has no keyframes to verify or to seek to")
    func audio() throws {
        var fixture = IndexFixture()
        fixture.wrong = Set(fixture.times)
        let plan = try fixture.plan(for: .fixture(.aac, times: [0, 21, 43], container: "avi")).get()
        #expect(plan.boundaries.map(\.time) == fixture.times)
        #expect(plan.keyframes.times.isEmpty && plan.trickPlayKeyframes.isEmpty)
    }
}
