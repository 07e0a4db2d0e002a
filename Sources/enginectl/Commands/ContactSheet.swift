// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineModel
internal import EngineClient

struct ContactSheet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Save a sheet of frames from the whole video, each with its time."
    )

    @OptionGroup var engine: EngineOptions

    @Argument(help: ArgumentHelp(StillArguments.places, valueName: "source"), completion: .file())
    var source: String

    @Option(help: "Number of columns, 1 to 20.")
    var columns = 4

    @Option(help: "Number of rows, 1 to 20.")
    var rows = 5

    @Option(help: ArgumentHelp("Width of one frame, 32 to 1920.", valueName: "pixels"))
    var cellWidth = 320

    @OptionGroup var still: StillArguments

    func validate() throws {
        guard (1...20).contains(columns), (1...20).contains(rows) else {
            throw ValidationError("--columns and --rows must be from 1 to 20.")
        }
        guard (32...1920).contains(cellWidth) else { throw ValidationError("--cell-width must be from 32 to 1920.") }
    }

    func run() async throws {
        try await reporting {
            var request = ContactSheetRequest(of: try StillTarget.source(source, still))
            (request.columns, request.rows, request.cellWidth) = (columns, rows, cellWidth)
            request.style = still.style
            let wanted = request
            try await withEngine(engine, startingAt: .hidden) { [still] engine in
                let showsProgress = Terminal.isErrorTerminal
                let sheet = try await engine.client.contactSheet(wanted) { done, total in
                    if showsProgress { Terminal.showStatus("\(done) of \(total) frames") }
                }
                if showsProgress { Terminal.endStatus() }
                try still.write(sheet)
                let line = "\(sheet.width)x\(sheet.height)  \(sheet.bytes.count) bytes"
                try still.report(sheet, line, hasTime: false)
            }
        }
    }
}
