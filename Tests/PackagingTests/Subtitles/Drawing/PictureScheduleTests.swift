// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Packaging

@Suite("The times at which subtitles are drawn")
struct PictureScheduleTests {
    private struct Line {
        var start: Double
        var end: Double?
        var isMoving = false
    }

    /// The times of the steps in seconds; those of `layOut` steps are negated.
    private func steps(_ lines: [Line], _ range: ClosedRange<Double>? = nil, rate: Int64 = 10) -> [Double] {
        let range = range.map { MediaTimeRange(start: .seconds($0.lowerBound), end: .seconds($0.upperBound)) }
        var schedule = PictureSchedule(range: range, frame: .hertz(rate), origin: .zero)
        var found: [Double] = []
        func follow() {
            while let step = schedule.step() {
                switch step {
                case .draw(let time): found.append(time.seconds)
                case .layOut(let time): found.append(-time.seconds)
                }
            }
        }
        for line in lines {
            schedule.add(from: .seconds(line.start), to: line.end.map { .seconds($0) }, isMoving: line.isMoving)
            follow()
        }
        #expect(!schedule.isDone || range != nil)
        schedule.finish()
        follow()
        #expect(schedule.isDone)
        return found
    }

    @Test("Lines that stand still are drawn when one appears or disappears")
    func still() {
        #expect(steps([Line(start: 1, end: 3), Line(start: 2, end: 4)]) == [1, 2, 3, 4])
        #expect(steps([Line(start: 1, end: 2), Line(start: 2, end: nil)]) == [1, 2])
        #expect(steps([Line(start: 1, end: 1), Line(start: 2, end: 3)]) == [2, 3])
        #expect(steps([]) == [])
    }

    @Test("While a line moves, every frame is drawn")
    func moving() {
        #expect(steps([Line(start: 1.05, end: 1.42, isMoving: true)]) == [1.05, 1.1, 1.2, 1.3, 1.4, 1.42])
        let both = [Line(start: 0, end: 0.3, isMoving: true), Line(start: 0.25, end: 9)]
        #expect(steps(both) == [0, 0.1, 0.2, 0.25, 0.3, 9])
    }

    @Test("A line that moves at the end of all time is drawn, and the steps end", arguments: [Int64(0), -90, 90])
    func endOfTime(origin: Int64) {
        var schedule = PictureSchedule(range: nil, frame: .hertz(25), origin: MediaTime(microseconds: origin))
        let start = MediaTime(microseconds: .max - 100)
        schedule.add(from: start, to: nil, isMoving: true)
        schedule.finish()
        #expect(schedule.step() == .draw(start))
        #expect(schedule.step() == nil && schedule.isDone)
    }

    @Test("Frames of a rate that is not a whole number do not drift, and each time is later than the one before")
    func fractional() {
        var schedule = PictureSchedule(range: nil, frame: TimeBase(1001, 24000), origin: .seconds(0.5))
        schedule.add(from: .seconds(0.5), to: .seconds(3600.5), isMoving: true)
        schedule.finish()
        var times: [MediaTime] = []
        while case .draw(let time) = schedule.step() { times.append(time) }
        #expect(times.count == 86_313 + 2)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
        #expect(times[24_000] == .seconds(1001.5))
    }

    @Test("A range begins with the picture at its start, after earlier lines were laid out, and ends at its end")
    func range() {
        let lines = [
            Line(start: 1, end: 9), Line(start: 4, end: 5.5), Line(start: 6, end: 7), Line(start: 20, end: 21),
        ]
        #expect(steps(lines, 5...8) == [-1, -4, 5, 5.5, 6, 7])
        #expect(steps([], 5...8) == [5])
        #expect(steps([Line(start: 20, end: 21)], 5...8) == [5])
    }

    @Test("A time is not drawn before all lines that begin at it are known")
    func settled() {
        var schedule = PictureSchedule(range: nil, frame: .hertz(10), origin: .zero)
        schedule.add(from: .seconds(1), to: .seconds(5), isMoving: false)
        #expect(schedule.step() == nil)
        schedule.add(from: .seconds(1), to: .seconds(2), isMoving: false)
        #expect(schedule.step() == nil)
        schedule.add(from: .seconds(3), to: .seconds(4), isMoving: false)
        #expect(schedule.step() == .draw(.seconds(1)))
        #expect(schedule.end == .seconds(2))
        #expect(schedule.step() == .draw(.seconds(2)))
        #expect(schedule.step() == nil)
        #expect(!schedule.isDone)
    }

    @Test("A line that the source stores late appears with the next frame")
    func late() {
        #expect(
            steps([Line(start: 1, end: 8), Line(start: 3, end: 4), Line(start: 2.5, end: 7), Line(start: 9, end: nil)])
                == [1, 2.5, 3, 4, 7, 8, 9]
        )
        var schedule = PictureSchedule(range: nil, frame: .hertz(10), origin: .zero)
        schedule.add(from: .seconds(1), to: .seconds(8), isMoving: false)
        schedule.add(from: .seconds(3), to: .seconds(4), isMoving: false)
        #expect(schedule.step() == .draw(.seconds(1)))
        schedule.add(from: .seconds(0.5), to: .seconds(7), isMoving: false)
        #expect(schedule.step() == .draw(.seconds(1.1)))
    }

    @Test("The last picture stays until the end of the range; if its line has no end, neither has the picture")
    func end() {
        var schedule = PictureSchedule(range: nil, frame: .hertz(10), origin: .zero)
        schedule.add(from: .seconds(1), to: nil, isMoving: false)
        schedule.finish()
        #expect(schedule.step() == .draw(.seconds(1)))
        #expect(schedule.end == nil)
        var ranged = PictureSchedule(
            range: MediaTimeRange(start: .seconds(2), end: .seconds(3)),
            frame: .hertz(10),
            origin: .zero
        )
        ranged.add(from: .seconds(1), to: nil, isMoving: false)
        ranged.finish()
        while ranged.step() != nil {}
        #expect(ranged.end == .seconds(3))
    }
}
