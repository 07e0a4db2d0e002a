// SPDX-License-Identifier: Apache-2.0

package import EngineModel

/// The text that one window showed for a period.
package struct ServiceCaption: Hashable, Sendable {
    package let start: MediaTime
    /// `nil` if it is still shown.
    package let end: MediaTime?
    package let text: CueText
}

/// The windows of one CTA-708 service (§8), and what they show over time.
///
/// A caption starts when its window is shown or its first character is written, and ends when the window changes. Text
/// appended to its line becomes part of it; text on another line starts another caption.
struct ServiceScreen: Sendable {
    private struct Place: Sendable {
        var window: ServiceWindow
        /// When the current content appeared. `nil` while the window shows nothing.
        var start: MediaTime?
        /// The line that was written to last.
        var line: Int?
    }

    /// Lines written within this interval belong to one caption.
    private static let settling = MediaTime(microseconds: 250_000)

    private let grid: ServiceGrid
    private var places: [Place?] = Array(repeating: nil, count: 8)
    private var current: Int?
    private var captions: [ServiceCaption] = []

    init(grid: ServiceGrid) { self.grid = grid }

    /// Executes a code at `time`.
    ///
    /// - Returns: the captions that it ends.
    mutating func apply(_ code: ServiceCode, at time: MediaTime) -> [ServiceCaption] {
        switch code {
        case .character(let character): write(character, at: time)
        case .backspace: erase(at: time)
        case .formFeed:
            changeCurrent(at: time) { window in
                window.clear()
                window.goHome()
            }
        case .carriageReturn: changeCurrent(at: time) { $0.carriageReturn() }
        case .horizontalReturn: changeCurrent(at: time) { $0.horizontalReturn() }
        case .setCurrent(let index): if places[index] != nil { current = index }
        case .clear(let windows): change(windows, at: time) { $0.clear() }
        case .display(let windows): change(windows, at: time) { $0.setVisible(true) }
        case .hide(let windows): change(windows, at: time) { $0.setVisible(false) }
        case .toggle(let windows): change(windows, at: time) { $0.setVisible(!$0.isVisible) }
        case .delete(let windows): delete(windows, at: time)
        case .reset: delete(.max, at: time)
        case .penAttributes(let first, let second): current.map { places[$0]?.window.setPen(first, second) }
        case .penColor(let color): current.map { places[$0]?.window.setPen(color: color) }
        case .penLocation(let row, let column):
            current.map { places[$0]?.window.movePen(toRow: row, column: column) }
        case .windowAttributes(let byte): changeCurrent(at: time) { $0.setAttributes(byte) }
        case .define(let index, let definition): define(index, definition, at: time)
        case .delay, .endDelay, .nothing: break
        }
        defer { captions = [] }
        return captions
    }

    /// The captions still shown at the end.
    func remaining() -> [ServiceCaption] {
        places.compactMap { place in
            guard let place, let start = place.start, let text = shown(place) else { return nil }
            return ServiceCaption(start: start, end: nil, text: text)
        }
    }

    // MARK: Codes

    private mutating func write(_ character: Unicode.Scalar, at time: MediaTime) {
        guard let index = current, let place = places[index] else { return }
        let line = place.window.isVertical ? place.window.column : place.window.row
        // Text appended to existing text on the same line is part of the same caption.
        let isPart = place.start.map { place.line == line || time - $0 < Self.settling } ?? true
        changeCurrent(at: time, isPart: isPart) { $0.write(character) }
        places[index]?.line = line
    }

    /// Corrections of characters do not start a new caption.
    private mutating func erase(at time: MediaTime) {
        changeCurrent(at: time, isPart: true) { $0.backspace() }
        guard let current, let place = places[current], shown(place) == nil else { return }
        places[current]?.start = nil
    }

    private mutating func define(_ index: Int, _ definition: ServiceWindow.Definition, at time: MediaTime) {
        if places[index] == nil {
            places[index] = Place(window: ServiceWindow(definition))
        } else {
            change(1 << index, at: time) { $0.redefine(definition) }
        }
        current = index
    }

    private mutating func delete(_ windows: UInt8, at time: MediaTime) {
        change(windows, at: time) { $0.clear() }
        for index in places.indices where windows & 1 << index != 0 {
            places[index] = nil
            if current == index { current = nil }
        }
    }

    // MARK: Changes

    private mutating func changeCurrent(
        at time: MediaTime,
        isPart: Bool = false,
        _ body: (inout ServiceWindow) -> Void
    ) {
        guard let current else { return }
        change(1 << current, at: time, isPart: isPart, body)
    }

    /// - Parameter isPart: whether the current caption, if there is one, continues with the changed text.
    private mutating func change(
        _ windows: UInt8,
        at time: MediaTime,
        isPart: Bool = false,
        _ body: (inout ServiceWindow) -> Void
    ) {
        for index in places.indices where windows & 1 << index != 0 {
            guard var place = places[index] else { continue }
            // Keeps the cells uniquely referenced while they change.
            places[index] = nil
            let before = isPart && place.start != nil ? nil : shown(place)
            body(&place.window)
            if isPart, place.start != nil {
                places[index] = place
                continue
            }
            let after = shown(place)
            if before != after {
                if let before, let start = place.start, start < time {
                    captions.append(ServiceCaption(start: start, end: time, text: before))
                }
                place.start = after == nil ? nil : place.start == time ? place.start : time
                if after == nil { place.line = nil }
            }
            places[index] = place
        }
    }

    private func shown(_ place: Place) -> CueText? { place.window.isVisible ? place.window.text(on: grid) : nil }
}
