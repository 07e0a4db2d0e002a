// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineModel

/// The cues that a command reads: of a file or a session.
struct CueArguments: ParsableArguments {
    @Argument(
        help: ArgumentHelp("A file or a session id. Default: the session loaded last.", valueName: "place"),
        completion: .file()
    )
    var place: SubtitlePlaceArgument?

    @Option(help: ArgumentHelp(SubtitleTrackArgument.form, valueName: "track"))
    var track: SubtitleTrackArgument?

    @Option(help: ArgumentHelp("Only what is visible after this time.", valueName: "time"))
    var from: TimeArgument?

    @Option(help: ArgumentHelp("Only what is visible before this time.", valueName: "time"))
    var to: TimeArgument?

    @Flag(help: "Leave out subtitle files beside the file.")
    var noFindSubtitles = false

    @OptionGroup var programs: ProgramArguments
    @OptionGroup var reading: SidecarArguments
    @OptionGroup(title: "Sources on servers") var connection: HTTPConnectionArguments

    var isSession: Bool { place?.isSession ?? true }

    func validate() throws {
        if programs.program != nil, isSession {
            throw ValidationError("--program requires a file; a session has its own.")
        }
        if from?.isRelative == true || to?.isRelative == true {
            throw ValidationError("--from and --to must be absolute times.")
        }
        if let from, let to, to.time < from.time { throw ValidationError("--to must not be before --from.") }
    }

    func request() throws -> CueRequest {
        var request = CueRequest(place?.place ?? .session(nil))
        request.choice = track?.choice ?? .automatic
        request.charset = reading.charset
        request.http.headers = try reading.headers()
        request.http.connection = try connection.options()
        request.findsSubtitles = !noFindSubtitles
        request.program = programs.selection
        if from != nil || to != nil {
            let last = MediaTime(microseconds: 1 << 60)
            request.range = MediaTimeRange(start: from?.time ?? .zero - last, end: to?.time ?? last)
        }
        return request
    }
}
