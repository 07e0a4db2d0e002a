// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import EngineRuntime

// What is done to pictures changes while one stands.
extension SoftwareRenderer {
    /// How far it is with showing the picture that stands anew.
    enum Redrawing {
        case none
        case underWay
        /// Something changed again before it was there.
        case stale
    }

    /// Shows the picture that stands as it is decoded and treated now. One after the other: each is seen before the next is begun,
    /// so that something is seen while somebody moves a slider. What moves follows by itself.
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

    /// - Returns: whether another one is to be begun.
    func noteRedrawn(at now: Int64) -> Bool {
        guard redrawing != .none, stock(at: now).pictures.map({ $0.isReady || $0.isComplete }) ?? true else {
            return false
        }
        defer { redrawing = .none }
        return redrawing == .stale
    }
}
