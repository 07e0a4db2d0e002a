// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Decoding

/// A damaged file may contain any time, and declare the largest duration.
@Suite("The smallest and the largest times")
struct EndOfTimeTests {
    private static let ends: [MediaTime] = [
        MediaTime(microseconds: .max), MediaTime(microseconds: .max - 1000), MediaTime(microseconds: .min),
        MediaTime(microseconds: .min + 1000), .zero,
    ]

    @Test("a clock follows its master to extreme times and back", arguments: ends, ends)
    func follow(from: MediaTime, to: MediaTime) {
        var clock = PlayheadClock(position: from, at: 0)
        clock.move(at: 4, from: 1)
        clock.follow(to, rate: 1, at: 3_600_000_000_000)
        #expect(clock.takeChange(requestedRate: 1) != nil)
        clock.place(at: from, now: 3_600_000_000_001)
        _ = clock.takeChange(requestedRate: 1)
        clock.follow(to, rate: 1, at: 3_600_000_000_002)
        #expect(clock.isMoving)
    }

    @Test("a playhead at an extreme time is reported when it deviates from its anchor", arguments: ends, ends)
    func report(from: MediaTime, to: MediaTime) {
        var schedule = ReportSchedule()
        #expect(schedule.report(RendererReport(position: from, rate: 0.5), at: 0) != nil)
        let next = schedule.report(RendererReport(position: to, rate: 0.5), at: 1000)
        #expect((next != nil) == ((from - to).microseconds.magnitude > 10_000))
    }

    @Test("samples have a place at extreme times", arguments: ends, ends)
    func samples(from: MediaTime, to: MediaTime) {
        var map = AudioMap()
        map.append(count: 480, sampleRate: 48_000, time: from, rate: 1, lap: 1)
        map.append(count: 480, sampleRate: 48_000, time: to, rate: 1, lap: 1)
        #expect(map.place(heard: 0)?.time == from)
        #expect(map.count == 960)
    }

    @Test("with a negative duration, the playhead is at the start", arguments: ends)
    func backwards(place: MediaTime) {
        var machine = PresentationStateMachine()
        machine.setDuration(MediaTime(microseconds: -1))
        machine.load(at: place, now: 0)
        #expect(machine.position(at: 0) == .zero)
        #expect(machine.playhead(at: 0) >= .zero)
    }

    @Test("a session of the largest duration is played to its end")
    func playback() {
        var machine = PresentationStateMachine()
        machine.setDuration(MediaTime(microseconds: .max))
        machine.load(at: MediaTime(microseconds: .max - 100), now: 0)
        machine.play(at: 0)
        var stock = PresentationStateMachine.Stock()
        stock.video = .init(
            isReady: true,
            end: MediaTime(microseconds: .max),
            isComplete: true,
            lastArrival: 0
        )
        for second in 0..<10 as Range<Int64> { machine.advance(stock, heard: nil, at: second * 1_000_000_000) }
        #expect(machine.state == .ended)
    }
}
