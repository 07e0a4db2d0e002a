// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import EngineRuntime

// Redraws the standing frame when the processing of frames changes.
extension SoftwareRenderer {
    /// The progress of redrawing the standing frame.
    enum Redrawing {
        case none
        case underWay
        /// Something changed again before the frame was there.
        case stale
    }

    /// Shows the standing frame again as it is decoded and processed now. One at a time: each is shown before the next
    /// begins, so that something is visible while a user moves a slider. A moving playhead needs no redraw.
    package func redraw() {
        guard !outlets.isEmpty, !isOver else { return }
        guard redrawing == .none else {
            redrawing = .stale
            return
        }
        guard machine.redraw() else { return }
        redrawing = .underWay
        let position = machine.position(at: monotonicNanoseconds())
        pictures.removeAll()
        for id in outlets.keys { outlets[id]?.taken = nil }
        beginAgain()
        passes.update(machine.lap) { $0.picturesEnd = position }
        flushPictures()
        settle()
    }

    /// - Returns: whether another redraw must begin.
    func noteRedrawn(at now: Int64) -> Bool {
        guard redrawing != .none, stock(at: now).pictures.map({ $0.isReady || $0.isComplete }) ?? true else {
            return false
        }
        defer { redrawing = .none }
        return redrawing == .stale
    }
}
