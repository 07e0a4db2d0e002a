// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineModel
internal import EngineClient
internal import EngineJSON

struct Cues: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write the subtitles of a file or a session, as text or as JSON.",
        discussion: """
            Without --track: the track that the session shows, or the file's default track, or the first. The tracks of \
            subtitle files beside the file follow its own.
            """
    )

    @OptionGroup var engine: EngineOptions

    @Argument(
        help: ArgumentHelp("A file or a session id. Default: the session loaded last.", valueName: "place"),
        completion: .file()
    )
    var place: SubtitlePlaceArgument?

    @Option(help: ArgumentHelp(SubtitleTrackArgument.form, valueName: "track"))
    var track: SubtitleTrackArgument?

    @Option(help: "srt, vtt, ass or json.")
    var format: CueFormat?

    @Flag(help: "The same as --format json.")
    var json = false

    private var chosenFormat: CueFormat { json ? .json : format ?? .srt }

    @Option(help: ArgumentHelp("Only cues visible after this time.", valueName: "time"))
    var from: TimeArgument?

    @Option(help: ArgumentHelp("Only cues visible before this time.", valueName: "time"))
    var to: TimeArgument?

    @Flag(help: "Leave out subtitle files beside the file.")
    var noFindSubtitles = false

    @OptionGroup var programs: ProgramArguments
    @OptionGroup var reading: SidecarArguments
    @OptionGroup(title: "Sources on servers") var connection: HTTPConnectionArguments

    func validate() throws {
        if programs.program != nil, place?.isSession ?? true {
            throw ValidationError("--program requires a file; a session has its own.")
        }
        if json, format ?? .json != .json { throw ValidationError("--json excludes another --format.") }
        if from?.isRelative == true || to?.isRelative == true {
            throw ValidationError("--from and --to must be absolute times.")
        }
        if let from, let to, to.time < from.time { throw ValidationError("--to must not be before --from.") }
    }

    private func request() throws -> CueRequest {
        var request = CueRequest(place?.place ?? .session(nil))
        request.choice = track?.choice ?? .automatic
        request.charset = reading.charset
        request.http.headers = try reading.headers()
        request.http.connection = try connection.options()
        request.findsSubtitles = !noFindSubtitles
        request.program = programs.selection
        request.isRaw = chosenFormat == .ass || chosenFormat == .json
        if from != nil || to != nil {
            let last = MediaTime(microseconds: 1 << 60)
            request.range = MediaTimeRange(start: from?.time ?? .zero - last, end: to?.time ?? last)
        }
        return request
    }

    func run() async throws {
        try await reporting {
            let (request, format) = (try request(), chosenFormat)
            if place?.isSession ?? true {
                try await write(request, format, from: try await EngineAccess.connect(engine))
            } else {
                try await withEngine(engine, startingAt: .hidden) { engine in
                    try await write(request, format, from: engine.client)
                }
            }
        }
    }
}

/// Writes only after the last batch, because the source may store a cue after later ones.
private func write(_ request: CueRequest, _ format: CueFormat, from client: EngineClient) async throws {
    var cues: [Cue] = []
    var header = ""
    var progress = ReadingProgress(isTerminal: Terminal.isErrorTerminal)
    defer { progress.end() }
    try await client.cues(request) { batch in
        if !batch.scriptHeader.isEmpty { header = batch.scriptHeader }
        cues += batch.cues
        progress.show(batch.progress)
    }
    progress.end()
    let ordered = cues.enumerated().sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }
    try Terminal.draw(format.text(of: ordered.map(\.element), header: header))
}
