// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import EngineActors

@Suite("times of samples by their count", .timeLimit(.minutes(10)))
struct SampleClockTests {
    @Test("do not follow what a container rounds")
    func rounded() {
        var clock = SampleClock()
        let places = [0, 0.023, 0.047, 0.069].map { clock.place(1024, rate: 44_100, at: .seconds($0)) }
        #expect(places.map(\.time.microseconds) == [0, 23_220, 46_440, 69_660])
        #expect(places.map(\.isDiscontinuous) == [true, false, false, false])
    }

    @Test("follow a real gap, forth and back", arguments: [1.0, -1.0])
    func gap(length: Double) {
        var clock = SampleClock()
        _ = clock.place(48_000, rate: 48_000, at: .seconds(5))
        let place = clock.place(48_000, rate: 48_000, at: .seconds(6 + length))
        #expect(place == SampleClock.Place(time: .seconds(6 + length), isDiscontinuous: true))
    }

    @Test("run on over a change of rate")
    func rate() {
        var clock = SampleClock()
        _ = clock.place(48_000, rate: 48_000, at: .zero)
        let places = [22_050, 1].map { clock.place($0, rate: 44_100, at: nil) }
        #expect(places == [1, 1.5].map { .init(time: .seconds($0), isDiscontinuous: false) })
    }

    @Test("do not drift in a day of odd frames")
    func day() {
        var clock = SampleClock()
        var last = MediaTime.zero
        let frames = 86_400 * 44_100 / 1152
        for _ in 0...frames { last = clock.place(1152, rate: 44_100, at: nil).time }
        #expect(last == MediaTime(microseconds: Int64(frames) * 1152 * 1_000_000 / 44_100))
    }
}
