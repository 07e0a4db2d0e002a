// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import EngineRuntime

/// Says in one line what a command led to.
func print(_ result: CommandResult) {
    let text = SessionText(state: result.state, now: monotonicNanoseconds())
    let clamped = result.isClamped ? "  (moved into range)" : ""
    Terminal.write("\(text.phase)  \(text.clock)  \(text.rate)\(clamped)")
}
