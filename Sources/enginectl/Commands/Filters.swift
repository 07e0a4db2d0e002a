// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineClient
internal import EngineModel
internal import EngineJSON

struct Filters: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show or change the filters, adjustments and overlays of the engine's decoded video.",
        discussion: """
            For example: filters, filters adjust --brightness 0.1, filters add gblur sigma=2, filters remove 1,
            filters overlay logo logo.svg --at 0.8,0.05,0.15,0.1, filters overlay-remove logo
            """,
        subcommands: [
            FiltersShow.self, FiltersAdjust.self, FiltersAdd.self, FiltersRemove.self, FiltersClear.self,
            OverlayPut.self, OverlayRemove.self,
        ],
        defaultSubcommand: FiltersShow.self
    )
}

struct FiltersShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "List adjustments, filters in order, and overlays from top to bottom."
    )

    @OptionGroup var engine: EngineOptions
    @OptionGroup var session: SessionOptions

    @Flag(help: "As JSON.")
    var json = false

    func run() async throws {
        try await reporting {
            let client = try await EngineAccess.connect(engine)
            try FiltersText(state: await client.state(of: session.id)).write(asJSON: json)
        }
    }
}

struct FiltersAdjust: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "adjust",
        abstract: "Change brightness, contrast, saturation and gamma. Others are unchanged."
    )

    @OptionGroup var engine: EngineOptions
    @OptionGroup var session: SessionOptions

    @Option(parsing: .unconditional, help: ArgumentHelp("-1 … 1; 0 changes nothing.", valueName: "number"))
    var brightness: Double?

    @Option(help: ArgumentHelp("0 … 4; 1 changes nothing.", valueName: "number"))
    var contrast: Double?

    @Option(help: ArgumentHelp("0 … 4; 1 changes nothing.", valueName: "number"))
    var saturation: Double?

    @Option(help: ArgumentHelp("0.1 … 10; 1 changes nothing.", valueName: "number"))
    var gamma: Double?

    @Flag(help: "Reset all others to neutral.")
    var reset = false

    @Flag(help: "As JSON.")
    var json = false

    func run() async throws {
        try await reporting {
            let client = try await EngineAccess.connect(engine)
            var change = AdjustmentChange()
            (change.brightness, change.contrast) = (brightness, contrast)
            (change.saturation, change.gamma, change.isReset) = (saturation, gamma, reset)
            try FiltersText(state: await client.adjust(session.id, change).state).write(asJSON: json)
        }
    }
}
