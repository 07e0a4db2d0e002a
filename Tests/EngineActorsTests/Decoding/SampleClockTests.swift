// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Decoding

@Suite("sample times derived from the sample count", .timeLimit(.minutes(10)))
struct SampleClockTests {
    @Test("ignore the rounding of container timestamps")
    func rounded() {
        var clock = SampleClock()
        let places = [0, 0.023, 0.047, 0.069].flatMap { clock.place(1024, rate: 44_100, at: .seconds($0)) }
        #expect(places.map(\.time.microseconds) == [0, 23_220, 46_440, 69_660])
        #expect(places.map(\.isDiscontinuous) == [true, false, false, false])
    }

    @Test("follow a real gap, forwards and backwards", arguments: [1.0, -1.0])
    func gap(length: Double) {
        var clock = SampleClock()
        _ = clock.place(48_000, rate: 48_000, at: .seconds(5))
        let place = clock.place(48_000, rate: 48_000, at: .seconds(6 + length))
        #expect(place == [SampleClock.Place(time: .seconds(6 + length), isDiscontinuous: true)])
    }

    @Test("continue across a change of sample rate")
    func rate() {
        var clock = SampleClock()
        _ = clock.place(48_000, rate: 48_000, at: .zero)
        let places = [22_050, 1].flatMap { clock.place($0, rate: 44_100, at: nil) }
        #expect(places == [1, 1.5].map { .init(time: .seconds($0), isDiscontinuous: false) })
    }

    @Test("do not drift over a day of frames with a fractional duration")
    func day() {
        var clock = SampleClock()
        var last = MediaTime.zero
        let frames = 86_400 * 44_100 / 1152
        for _ in 0...frames { last = clock.place(1152, rate: 44_100, at: nil).last?.time ?? last }
        #expect(last == MediaTime(microseconds: Int64(frames) * 1152 * 1_000_000 / 44_100))
    }

    /// The places of 32 ms frames whose timestamps are off by `errors`, in milliseconds.
    private func places(_ errors: [Int64]) -> [SampleClock.Place] {
        var clock = SampleClock()
        return errors.enumerated().flatMap { index, error in
            clock.place(1536, rate: 48_000, at: MediaTime(microseconds: Int64(index) * 32_000 + error * 1000))
        } + clock.finish()
    }

    @Test("follow a short gap from its start if later frames agree", arguments: [32, -32, 60, 11] as [Int64])
    func missingFrame(length: Int64) {
        let found = places([0, 0, 1, 0] + Array(repeating: length, count: 20))
        let expected = (0..<24).map { (index: Int64) -> Int64 in index * 32_000 + (index < 4 ? 0 : length * 1000) }
        #expect(found.map(\.time.microseconds) == expected)
        #expect(found.indices.filter { found[$0].isDiscontinuous } == [0, 4])
    }

    @Test("ignore jitter", arguments: [[0, 8, 16, 24], [0, 25, 25, 25], [0, 30, -30]] as [[Int64]])
    func jitter(pattern: [Int64]) {
        let found = places((0..<240).map { pattern[$0 % pattern.count] })
        #expect(found.map(\.time.microseconds) == (0..<240).map { Int64($0) * 32_000 })
        #expect(found.indices.filter { found[$0].isDiscontinuous } == [0])
    }

    @Test("stay close to a source clock that drifts")
    func drift() {
        let found = places((0..<2000).map { Int64($0) / 10 })
        for (index, place) in found.enumerated() {
            let expected = Int64(index) * 32_000 + Int64(index) / 10 * 1000
            #expect(abs(place.time.microseconds - expected) <= 12_000)
        }
    }
}
