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
    ///
    /// - Parameter clamped: returns the remark on an argument that was out of range: the value that was set, and the
    ///   range.
    func print(_ result: CommandResult, clamped: (SessionState) -> String = { _ in "(clamped)" }) throws(Failure) {
        if json { return try Terminal.write(result.json.indentedText) }
        let text = SessionText(state: result.state, now: monotonicNanoseconds())
        let remark = result.isClamped ? "  \(clamped(result.state))" : ""
        try Terminal.write("\(text.phase)  \(text.clock)  \(text.rate)\(remark)")
    }
}
