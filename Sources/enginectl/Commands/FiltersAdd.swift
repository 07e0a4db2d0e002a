// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineClient
internal import EngineModel
internal import EngineJSON

struct FiltersAdd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add a filter after the others.",
        discussion: "docs/filters.md lists the filters and their options."
    )

    @OptionGroup var engine: EngineOptions
    @OptionGroup var session: SessionOptions

    @Argument(help: ArgumentHelp("E.g. gblur.", valueName: "filter"))
    var name: String

    @Argument(help: ArgumentHelp("E.g. sigma=2.", valueName: "option=value"))
    var options: [String] = []

    @Flag(help: "As JSON.")
    var json = false

    func validate() throws {
        guard options.allSatisfy({ $0.contains("=") }) else {
            throw ValidationError("An option must be NAME=VALUE.")
        }
    }

    func run() async throws {
        try await reporting {
            let client = try await EngineAccess.connect(engine)
            let parsed = options.map { option in
                let parts = option.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                return PictureFilter.Option(String(parts[0]), String(parts[1]))
            }
            let state = try await client.addFilter(session.id, PictureFilter(name, parsed)).state
            try FiltersText(state: state).write(asJSON: json)
        }
    }
}

struct FiltersRemove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "remove", abstract: "Remove a filter.")

    @OptionGroup var engine: EngineOptions
    @OptionGroup var session: SessionOptions

    @Argument(help: ArgumentHelp("The id shown by `filters`.", valueName: "id"))
    var id: Int

    @Flag(help: "As JSON.")
    var json = false

    func run() async throws {
        try await reporting {
            let client = try await EngineAccess.connect(engine)
            try FiltersText(state: await client.removeFilter(session.id, id).state).write(asJSON: json)
        }
    }
}

struct FiltersClear: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear",
        abstract: "Remove all filters. Adjustments and overlays remain."
    )

    @OptionGroup var engine: EngineOptions
    @OptionGroup var session: SessionOptions

    @Flag(help: "As JSON.")
    var json = false

    func run() async throws {
        try await reporting {
            let client = try await EngineAccess.connect(engine)
            try FiltersText(state: await client.clearFilters(session.id).state).write(asJSON: json)
        }
    }
}
