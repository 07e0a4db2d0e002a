// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineTestKit
import Packaging
import Testing

@testable import Reading

@Suite("Rungs of a ladder")
struct LadderRungTests {
    private func track(delay: Int64) throws -> PlayedTrack {
        var described = DescribedSource()
        described.delay = delay
        return try described.opened().lead
    }

    @Test("a rung is decoded as long before presentation as the video of the session, or longer if it has to be")
    func delay() throws {
        let (short, long) = (try track(delay: 0), try track(delay: 80))
        let delayed = short.aligned(with: long)
        #expect(delayed.delay == 80)
        #expect(delayed.track.mediaTimeOffset == short.track.mediaTimeOffset + 80)
        #expect(long.aligned(with: short).delay == 80)
        #expect(long.aligned(with: long).track.mediaTimeOffset == long.track.mediaTimeOffset)
    }

    @Test("a source has the rungs that were made for it, and no others")
    func rungs() throws {
        var source = try DescribedSource().opened()
        #expect(source.rung(0) == nil)
        source.ladder = [LadderRung(1, try track(delay: 40))]
        let rung = try #require(source.rung(1))
        #expect(rung.tracks.map(\.delay) == [40] && rung.trackEnds.count == 1 && rung.ladder.isEmpty)
        #expect(rung.origin == source.origin && source.rung(0) == nil && source.rung(2) == nil)
    }
}
