// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import EngineRuntime

/// Shows the state of a served session on stderr: on a terminal as one line redrawn in place, otherwise as a line per
/// change of phase or plan.
struct ServeProgress {
    let isTerminal: Bool
    private var last = ""

    init(isTerminal: Bool) { self.isTerminal = isTerminal }

    mutating func show(_ state: SessionState) {
        let text = SessionText(state: state, now: monotonicNanoseconds())
        if isTerminal {
            return Terminal.showStatus("\(text.phase)  \(text.clock)  \(text.plan)  \(text.making)")
        }
        let line = "\(text.phase), \(state.production.isPlanComplete ? text.plan : "scanning")"
        guard line != last else { return }
        last = line
        Terminal.writeError("enginectl: \(line)")
    }

    func show(_ notice: Notice) {
        Terminal.writeError("\(isTerminal ? "" : "enginectl: ")\(Words.plain(notice.message)) [\(notice.code)]")
    }
}
