// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Decides at which times the subtitles of a range have to be drawn: when an event appears or disappears, and, while
/// one of them moves, at every frame. Pure.
///
/// Events arrive in the order of their start. A time is due once no later event can begin before or at it.
package struct PictureSchedule: Sendable {
    package enum Step: Hashable, Sendable {
        /// Draws what is on screen, so that libass places its lines; the picture is not wanted.
        case layOut(MediaTime)
        case draw(MediaTime)
    }

    private struct Event {
        let start: MediaTime
        let end: MediaTime
        let isMoving: Bool
    }

    /// Lines that appear up to this long before a range may decide where the lines in it are placed.
    package static let placing = MediaTime.seconds(10)

    private let range: MediaTimeRange
    /// The duration of a frame.
    private let frame: TimeBase
    /// The start of the first frame.
    private let origin: MediaTime
    /// Not yet on screen, by start.
    private var upcoming: [Event] = []
    private var next = 0
    private var active: [Event] = []
    /// The time of the last step.
    private var time: MediaTime?
    /// No event that is still to be added begins before this time.
    private var settled = MediaTime(microseconds: .min)

    /// - Parameters:
    ///   - range: the wanted pictures; `nil`: all.
    ///   - frame: the duration of a frame; a moving picture is drawn for each. At least a microsecond.
    ///   - origin: the time of the first frame, on the clock of the events.
    package init(range: MediaTimeRange?, frame: TimeBase, origin: MediaTime) {
        self.range = range ?? MediaTimeRange(start: MediaTime(microseconds: .min), end: MediaTime(microseconds: .max))
        self.frame = frame
        self.origin = origin
    }

    /// Adds an event. One that begins before the last step is on screen from the next step on.
    ///
    /// - Parameters:
    ///   - end: `nil`: it stays.
    ///   - isMoving: whether its picture depends on the time.
    package mutating func add(from start: MediaTime, to end: MediaTime?, isMoving: Bool) {
        settled = max(settled, start)
        let event = Event(start: start, end: end ?? MediaTime(microseconds: .max), isMoving: isMoving)
        guard event.end > event.start else { return }
        var place = upcoming.count
        while place > next, upcoming[place - 1].start > start { place -= 1 }
        upcoming.insert(event, at: place)
    }

    /// States that no more events follow.
    package mutating func finish() { settled = MediaTime(microseconds: .max) }

    /// The next step; `nil` if it depends on events that are still to be added, or if the range has ended.
    package mutating func step() -> Step? {
        guard let moment = moment(), moment < range.end, moment < settled || isFinished else { return nil }
        enter(moment)
        return moment < range.start ? .layOut(moment) : .draw(moment)
    }

    /// Whether all pictures of the range have been drawn.
    package var isDone: Bool {
        if let moment = moment() { moment >= range.end } else { isFinished }
    }

    /// When the picture that was drawn last ends, as far as the range and the added events tell. `nil`: it stays.
    package var end: MediaTime? {
        let end = min(moment() ?? MediaTime(microseconds: .max), range.end)
        return end.microseconds == .max ? nil : end
    }

    private var isFinished: Bool { settled.microseconds == .max }

    /// The time of the next step. `nil` while nothing is known to happen.
    private func moment() -> MediaTime? {
        var found: MediaTime?
        func consider(_ moment: MediaTime) {
            guard time.map({ moment > $0 }) ?? true else { return }
            found = found.map { min($0, moment) } ?? moment
        }
        if range.start.microseconds != .min { consider(range.start) }
        if next < upcoming.count {
            let start = upcoming[next].start
            if let time, start <= time { consider(frame(after: time)) } else { consider(start) }
        }
        for event in active where event.end.microseconds != .max { consider(event.end) }
        if let time, active.contains(where: \.isMoving), time >= range.start { consider(frame(after: time)) }
        return found
    }

    private mutating func enter(_ moment: MediaTime) {
        time = moment
        active.removeAll { $0.end <= moment }
        while next < upcoming.count, upcoming[next].start <= moment {
            if upcoming[next].end > moment { active.append(upcoming[next]) }
            next += 1
        }
        guard next > 1024 else { return }
        upcoming.removeFirst(next)
        next = 0
    }

    /// The start of the first frame after `time`, to the microsecond; later than any event if it cannot be represented.
    private func frame(after time: MediaTime) -> MediaTime {
        let (offset, isTooFar) = time.microseconds.subtractingReportingOverflow(origin.microseconds)
        guard !isTooFar, offset < .max / 2 else { return MediaTime(microseconds: .max) }
        func start(_ number: Int64) -> MediaTime {
            let start = MediaTime(number, in: frame).microseconds.addingReportingOverflow(origin.microseconds)
            return MediaTime(microseconds: start.overflow ? .max : start.partialValue)
        }
        let number = MediaTime(microseconds: offset).ticks(in: frame, rounding: .down)
        let next = start(number + 1)
        // The start may have been rounded down to `time`.
        return next > time ? next : start(number + 2)
    }
}
