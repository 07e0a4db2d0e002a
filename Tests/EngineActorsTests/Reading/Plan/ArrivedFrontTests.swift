// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineTestKit
import Packaging
import Testing

@testable import Bindings
@testable import Reading

@Suite("How far a segment of a list has arrived")
struct ArrivedFrontTests {
    /// A segment that is planned at 1000 ms.
    private static func front(hasOwnList: Bool) throws -> ArrivedFront {
        var source = DescribedSource()
        source.hasAudio = true
        return ArrivedFront(from: 1000, of: try source.opened().tracks) { hasOwnList && $0 == 1 }
    }

    private static func packet(_ stream: Int, _ pts: Int64, decoded dts: Int64? = nil) -> Packet {
        Packet([1], stream: stream, pts: pts, dts: dts ?? pts)
    }

    @Test("the track that lags furthest behind decides, by decode times; if a track has no packets, nothing is known")
    func slowest() throws {
        var front = try Self.front(hasOwnList: false)
        front.add(Self.packet(1, 1000))
        #expect(front.settled == nil)
        front.add(Self.packet(0, 1000, decoded: 920))
        #expect(front.settled == 920)
        front.add(Self.packet(0, 1200, decoded: 960))
        front.add(Self.packet(0, 1080, decoded: 1000))
        #expect(front.settled == 1000)
        front.add(Self.packet(0, 1240, decoded: 1300))
        #expect(front.settled == 1000, "the audio")
        // A time that steps back takes nothing away.
        front.add(Self.packet(1, 1280))
        front.add(Self.packet(1, 1100))
        front.add(Self.packet(2, 0))
        #expect(front.settled == 1280)
    }

    @Test("the times of tracks in the leading list count from the first picture, those of other tracks from the plan")
    func delays() throws {
        for hasOwnList in [false, true] {
            var front = try Self.front(hasOwnList: hasOwnList)
            front.add(Self.packet(1, 1290))
            front.add(Self.packet(0, 1250))
            front.add(Self.packet(0, 2250))
            #expect(front.settled == (hasOwnList ? 1290 : 1040))
            front.add(Self.packet(1, 3000))
            #expect(front.settled == 2000)
        }
    }
}
