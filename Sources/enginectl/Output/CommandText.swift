// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineModel
internal import EngineJSON
internal import EngineRuntime

/// How a command prints its result.
struct OutputOptions: ParsableArguments {
    @Flag(help: "As JSON; the schema is in docs/enginectl.md.")
    var json = false

    /// Prints the result of a command in one line, or as JSON.
    func print(_ result: CommandResult) throws(Failure) {
        if json { return try Terminal.write(result.json.indentedText) }
        let text = SessionText(state: result.state, now: monotonicNanoseconds())
        let clamped = result.isClamped ? "  (clamped to the range)" : ""
        try Terminal.write("\(text.phase)  \(text.clock)  \(text.rate)\(clamped)")
    }
}
