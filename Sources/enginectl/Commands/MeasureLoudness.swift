// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineClient
internal import EngineJSON
internal import EngineModel

struct MeasureLoudness: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "loudness",
        abstract: "Measure the loudness of an audio track: EBU R 128 loudness, its range and the true peak.",
        discussion: """
            Reads and decodes the whole track. The result is cached, so that the next call returns it at once.
            """
    )

    @OptionGroup var engine: EngineOptions

    @Argument(
        help: ArgumentHelp("A file or a session id. Default: the session loaded last.", valueName: "place"),
        completion: .file()
    )
    var place: SubtitlePlaceArgument?

    @Option(
        help: ArgumentHelp(
            "The audio track: its number in `tracks` or `probe`. Default: the one that is played.",
            valueName: "number"
        )
    )
    var track: Int?

    @OptionGroup var programs: ProgramArguments
    @OptionGroup(title: "Sources on servers") var http: HTTPArguments

    @Flag(help: "As JSON; the schema is in docs/enginectl.md.")
    var json = false

    private var isSession: Bool { place?.isSession ?? true }

    func validate() throws {
        if let track, !(0..<1 << 31).contains(track) { throw ValidationError("--track must be a stream's number.") }
        if programs.program != nil, isSession {
            throw ValidationError("--program requires a file; a session has its own.")
        }
    }

    func run() async throws {
        try await reporting {
            var request: LoudnessRequest
            switch place?.place ?? .session(nil) {
            case .session(let id): request = LoudnessRequest(.session(id))
            case .source(let source): request = LoudnessRequest(.source(source))
            }
            request.stream = track
            request.http = try http.options()
            request.program = programs.selection
            if isSession {
                try await measure(request, by: try await EngineAccess.connect(engine), asJSON: json)
            } else {
                try await withEngine(engine, startingAt: .hidden) { [request, json] engine in
                    try await measure(request, by: engine.client, asJSON: json)
                }
            }
        }
    }
}

private func measure(_ request: LoudnessRequest, by client: EngineClient, asJSON: Bool) async throws {
    var progress = ReadingProgress(isTerminal: Terminal.isErrorTerminal)
    defer { progress.end() }
    let last = try await client.measureLoudness(request) { progress.show($0.progress) }
    progress.end()
    guard let last, let loudness = last.loudness else {
        throw Failure(.failed, "the engine ended the measurement without a result")
    }
    try Terminal.write(asJSON ? last.json().indentedText : LoudnessText(loudness: loudness).lines)
}
