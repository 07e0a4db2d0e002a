// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Packaging
import Testing

@testable import Bindings
@testable import Reading

@Suite("The pictures after a segment")
struct PicturesPastEndTests {
    private let end = Keyframe(time: 400, seekTimestamp: 400, position: 0)

    private func past(_ times: [Int64?]) -> PicturesPastEnd {
        var past = PicturesPastEnd()
        for time in times { past.add(Packet([1, 2], stream: 0, pts: time), of: .fixture()) }
        return past
    }

    @Test(
        "their order is known once one is presented after the keyframe, or 32 have been read",
        arguments: [
            ([], false, nil), ([400], false, 400), ([400, 320, 360], false, 320), ([400, 320, 440], true, 320),
            ([440], true, 400), ([nil, nil], false, nil), (Array(repeating: 300, count: 31), false, 300),
            (Array(repeating: 300, count: 32), true, 300),
        ] as [([Int64?], Bool, Int64?)]
    )
    func order(times: [Int64?], isKnown: Bool, start: Int64?) {
        let past = past(times)
        #expect(past.isOrderKnown(at: end) == isKnown)
        #expect(past.start(at: end) == start)
    }

    @Test("a picture that an edit list hides is not presented")
    func hidden() {
        var past = past([400])
        past.add(Packet([1, 2], stream: 0, pts: 500, flags: .discarded), of: .fixture())
        past.add(Packet([1, 2], stream: 0, pts: 300, flags: .discarded), of: .fixture())
        #expect(!past.isOrderKnown(at: end) && past.start(at: end) == 400 && past.byteCount == 6)
    }

    @Test("they are measured while the collector waits for other tracks")
    func measured() {
        let past = past([400, nil, 320])
        #expect(past.first?.pts == 400 && past.byteCount == 6 && !past.isEmpty)
        #expect(past.latest == PlayedTrack.fixture().timelineTicks(400))
        #expect(self.past([]).isEmpty && self.past([]).latest == .min)
    }
}
