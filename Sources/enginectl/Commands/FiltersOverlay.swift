// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineClient
internal import EngineModel
internal import EngineJSON

struct OverlayPut: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "overlay",
        abstract: "Add an overlay, or replace the one with the same name."
    )

    @OptionGroup var engine: EngineOptions
    @OptionGroup var session: SessionOptions

    @Argument(help: ArgumentHelp("The name of the overlay, for replacing or removing it.", valueName: "name"))
    var name: String

    @Argument(help: ArgumentHelp("An SVG document, or ASS drawings.", valueName: "file"), completion: .file())
    var file: String

    @Option(help: ArgumentHelp("Left, top, width and height as fractions of the frame, 0 … 1.", valueName: "x,y,w,h"))
    var at: RectangleArgument?

    @Option(help: "Stacking order: higher values are on top.")
    var z = 0

    @Flag(help: "The file contains ASS drawings, one per line:  {\\p1\\c&H0000FF&}m 0 0 l 100 0 100 50")
    var ass = false

    @Option(
        help: ArgumentHelp(
            "The size of the script area that fills the rectangle. Default: the drawing's own size.",
            valueName: "wxh"
        )
    )
    var assSize: SizeArgument?

    @Flag(help: "As JSON.")
    var json = false

    func validate() throws {
        try requireText(name, "The name")
        if assSize != nil, !ass { throw ValidationError("--ass-size requires --ass.") }
    }

    func run() async throws {
        let shown = "\(FileArgument(file).path)"
        try await reporting(naming: ["overlay.svg": shown, "overlay.ass": shown]) {
            let client = try await EngineAccess.connect(engine)
            let text = try FileArgument(file).text()
            let drawing = ASSDrawing(text, width: assSize?.width ?? 0, height: assSize?.height ?? 0)
            let overlay = Overlay(
                name: name,
                ass ? .ass(drawing) : .svg(text),
                rectangle: at?.rectangle ?? .whole,
                z: z
            )
            try FiltersText(state: await client.putOverlay(session.id, overlay).state).write(asJSON: json)
        }
    }
}

struct OverlayRemove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "overlay-remove",
        abstract: "Remove one overlay, or all."
    )

    @OptionGroup var engine: EngineOptions
    @OptionGroup var session: SessionOptions

    @Argument(help: ArgumentHelp("Default: all overlays.", valueName: "name"))
    var name: String?

    @Flag(help: "As JSON.")
    var json = false

    func run() async throws {
        try await reporting(naming: ["name": "overlay"]) {
            let client = try await EngineAccess.connect(engine)
            let state: SessionState
            if let name {
                state = try await client.removeOverlay(session.id, name).state
            } else {
                state = try await client.clearOverlays(session.id).state
            }
            try FiltersText(state: state).write(asJSON: json)
        }
    }
}

/// For example `0.8,0.05,0.15,0.1`.
struct RectangleArgument: ExpressibleByArgument {
    let rectangle: OverlayRectangle

    init?(argument: String) {
        let numbers = argument.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
        guard numbers.count == 4, let x = numbers[0], let y = numbers[1], let width = numbers[2],
            let height = numbers[3]
        else { return nil }
        rectangle = OverlayRectangle(x: x, y: y, width: width, height: height)
    }
}
