// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Packaging
import Testing

@testable import Bindings
@testable import Reading

@Suite("Pictures of a program stream without times")
struct CountedPicturesTests {
    private func packet(
        _ time: Int64? = nil,
        shown: Int64? = nil,
        isKey: Bool = false,
        position: Int64? = nil,
        stream: Int = 0
    ) -> Packet {
        Packet(
            [1],
            stream: stream,
            pts: shown ?? time,
            dts: time,
            flags: isKey ? .key : [],
            position: position
        )
    }

    /// A keyframe, which is shown two pictures after it is decoded, and pictures of which every fourth has times.
    private var head: [Packet] {
        let later: [Int64?] = [nil, nil, nil, 1400, nil, nil, nil, 1800]
        return [packet(1000, shown: 1200, isKey: true)] + later.map { packet($0) }
    }

    private func counted() throws -> CountedPictures {
        try #require(CountedPictures(of: .fixture(0, .h264, base: .hertz(90_000)), head: head))
    }

    @Test("every picture gets the time of its place, from the latest time that is stated")
    func times() throws {
        var counted = try counted()
        let found = (head + [packet(9000), packet()]).map { counted.timed($0) }
        #expect(found.map(\.dts) == [1200, 1300, 1400, 1500, 1600, 1700, 1800, 1900, 2000, 9200, 9300])
        #expect(found.allSatisfy { $0.pts == nil && $0.duration == 100 })
    }

    @Test("after a jump, pictures are counted from the keyframe of the jump, and a cut picture has no time")
    func jumps() throws {
        var counted = try counted()
        counted.enter(at: 4096)
        counted.enter(at: Keyframe(time: 5000, seekTimestamp: 5000, position: 4096))
        let cut = counted.timed(packet(4800, position: 4096))
        #expect(cut.dts == nil && cut.pts == nil)
        let later = [packet(isKey: true, position: 4096), packet(), packet(isKey: true, position: 4096)]
        #expect(later.map { counted.timed($0).dts } == [5000, 5100, 5200])
    }

    @Test("other streams stay as they are")
    func others() throws {
        var counted = try counted()
        let found = counted.timed(packet(7, shown: 8, stream: 1))
        #expect(found.pts == 8 && found.dts == 7)
    }

    @Test("nothing is counted if all pictures state their times, or none does")
    func complete() {
        let info = StreamInfo.fixture(0, .h264, base: .hertz(90_000))
        #expect(CountedPictures(of: info, head: [packet(1, isKey: true), packet(2)]) == nil)
        #expect(CountedPictures(of: info, head: [packet(isKey: true), packet()]) == nil)
    }
}
