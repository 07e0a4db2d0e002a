// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineModel

/// The program of a transport stream to use.
struct ProgramArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "One of several programs of a transport stream: its number or its name. Default: the first with video.",
            valueName: "program"
        )
    )
    var program: ProgramArgument?

    var selection: ProgramSelection { program?.selection ?? .automatic }
}

/// A program's number or name.
struct ProgramArgument: ExpressibleByArgument {
    let selection: ProgramSelection

    init?(argument: String) {
        guard !ByteText.hasEscapes(argument), let selection = ProgramSelection(text: argument) else { return nil }
        if case .number(let number) = selection, !(1...0xFFFF).contains(number) { return nil }
        self.selection = selection
    }
}
