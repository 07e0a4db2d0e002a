// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// Which parts of a timeline have their subtitles drawn, and which ones frames wait for. Pure.
///
/// Times are those of the cues, on the session's timeline.
package struct DrawnWindows: Sendable {
    private enum Slot {
        case drawing
        /// Is still being drawn; frames have passed without its pictures.
        case late
        /// The pictures of each track, in order.
        case drawn([[DrawnPicture]])
    }

    /// The drawings to begin and to cancel, so that the requested windows are drawn.
    package struct Change: Equatable, Sendable {
        /// To be drawn, the most urgent first.
        package var begun: [Int64] = []
        /// No longer needed.
        package var dropped: [Int64] = []

        package init(begun: [Int64] = [], dropped: [Int64] = []) { (self.begun, self.dropped) = (begun, dropped) }
    }

    private static let length: Int64 = 2_000_000

    private var slots: [Int64: Slot] = [:]
    /// Whether the last frames passed without their pictures. Later frames then do not wait either.
    private var isBehind = false

    package init() {}

    package static func range(of window: Int64) -> MediaTimeRange {
        MediaTimeRange(
            start: MediaTime(microseconds: window * length),
            end: MediaTime(microseconds: (window + 1) * length)
        )
    }

    private static func window(at time: MediaTime) -> Int64 {
        let (quotient, remainder) = time.microseconds.quotientAndRemainder(dividingBy: length)
        return remainder < 0 ? quotient - 1 : quotient
    }

    /// Requests the windows of `times` and the one after them. Forgets windows that are not next to these.
    package mutating func request(_ times: [MediaTime]) -> Change {
        let wanted = Set(times.map(Self.window)).sorted()
        guard let first = wanted.first, let last = wanted.last else { return Change() }
        var change = Change()
        change.dropped = slots.keys.filter { $0 < first - 1 || $0 > last + 1 }.sorted()
        for window in change.dropped { slots[window] = nil }
        for window in wanted + [last + 1] where slots[window] == nil {
            slots[window] = .drawing
            change.begun.append(window)
        }
        return change
    }

    /// Whether frames at `times` should wait for a window.
    package func isWorthWaiting(for times: [MediaTime]) -> Bool { !isBehind && lacksPictures(at: times) }

    /// Records that frames at `times` are shown with what is drawn by now.
    ///
    /// - Returns: whether pictures are missing.
    package mutating func pass(_ times: [MediaTime]) -> Bool {
        isBehind = lacksPictures(at: times)
        for window in Set(times.map(Self.window)) {
            if case .drawing = slots[window] { slots[window] = .late }
        }
        return isBehind
    }

    /// Takes the pictures of a window: for each track, those in the range of the window, in order.
    ///
    /// - Returns: whether frames have passed without them.
    package mutating func finish(_ window: Int64, _ pictures: [[DrawnPicture]]) -> Bool {
        guard let slot = slots[window] else { return false }
        slots[window] = .drawn(pictures)
        if case .late = slot { return true }
        return false
    }

    /// The pictures on screen at `time`, as far as they are drawn, from the lowest to the highest.
    package func images(at time: MediaTime) -> [CueImage] {
        guard case .drawn(let tracks) = slots[Self.window(at: time)] else { return [] }
        return tracks.flatMap { pictures in
            let shown = pictures.last { $0.start <= time }
            guard let shown, shown.end.map({ time < $0 }) ?? true else { return [CueImage]() }
            return shown.images
        }
    }

    private func lacksPictures(at times: [MediaTime]) -> Bool {
        times.contains { time in
            switch slots[Self.window(at: time)] {
            case .drawing, .late: true
            case .drawn, nil: false
            }
        }
    }
}
