// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineModel

/// The title and the angle of a disc to use.
struct TitleArguments: ParsableArguments {
    @Option(help: ArgumentHelp("The title of a disc, as titles numbers them. Default: the main one.", valueName: "n"))
    var title: Int?

    @Option(help: ArgumentHelp("The angle of a disc's title, counted from 1.", valueName: "n"))
    var angle: Int?

    func validate() throws {
        if let title, title < 1 { throw ValidationError("--title must be at least 1.") }
        if let angle, angle < 1 { throw ValidationError("--angle must be at least 1.") }
    }

    func apply(to options: inout LoadOptions) {
        options.title = title
        if let angle { options.angle = angle }
    }
}
