// SPDX-License-Identifier: Apache-2.0

internal import EngineModel
internal import EngineRuntime

/// Prints the result of a command in one line.
func print(_ result: CommandResult) throws(Failure) {
    let text = SessionText(state: result.state, now: monotonicNanoseconds())
    let clamped = result.isClamped ? "  (clamped to the range)" : ""
    try Terminal.write("\(text.phase)  \(text.clock)  \(text.rate)\(clamped)")
}
