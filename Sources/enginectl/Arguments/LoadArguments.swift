// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineModel

/// A source and how to load it.
struct LoadArguments: ParsableArguments {
    @Argument(help: "The file or the URL to open.", completion: .file())
    var file: String

    @OptionGroup var settings: LoadSettings

    @Flag(help: "Start playback at once.")
    var play = false

    func request() throws -> LoadRequest {
        var request = try settings.request(for: file)
        request.options.isAutoplay = play
        return request
    }
}

/// Whether subtitle files beside a source are found by their names.
struct FindingArguments: ParsableArguments {
    @Flag(
        inversion: .prefixedNo,
        help: "Find subtitle files beside the file by their names. Default: the engine's setting, on."
    )
    var findSubtitles: Bool?
}

/// How to load a source.
struct LoadSettings: ParsableArguments {
    @Option(help: ArgumentHelp("Where playback begins: seconds or [HH:]MM:SS[.fff].", valueName: "time"))
    var start: TimeArgument?

    @Flag(help: "Begin where playback of the file last stopped, even under another name.")
    var resume = false

    @Option(
        help: ArgumentHelp(
            "Target segment duration. Default: 4, or 2 for a live transport stream.",
            valueName: "seconds"
        )
    )
    var segment: Double?

    @OptionGroup var routes: RouteArguments
    @OptionGroup var variants: VariantArguments
    @OptionGroup var disc: TitleArguments
    @OptionGroup var dvr: DVRArguments

    @Flag(help: "Measure the loudness of the audio track first, for --loudness, unless that has been done.")
    var measure = false

    @Option(help: ArgumentHelp(AudioArgument.form, valueName: "track"))
    var audio: AudioArgument?

    @Option(help: ArgumentHelp(LoadSubtitlesArgument.form, valueName: "tracks"))
    var subtitles: [LoadSubtitlesArgument] = []

    @OptionGroup var finding: FindingArguments

    @Flag(name: .customLong("preserve-ass"), help: "Include the original lines of ASS scripts with their cues.")
    var preserveASS = false

    @Flag(help: "List the segments of a live source in parts, for low-latency players.")
    var lowLatency = false

    @Flag(help: "Draw the selected subtitles into the frames that the engine decodes.")
    var drawSubtitles = false

    @Option(
        help: ArgumentHelp(
            "How interlaced video that the engine decodes is deinterlaced: frame, field or off.",
            valueName: "how"
        ),
        completion: .list(DeinterlacingArgument.allValueStrings)
    )
    var deinterlace: DeinterlacingArgument?

    @OptionGroup(title: "Sources on servers") var http: HTTPArguments

    func validate() throws {
        if let start, start.isRelative { throw ValidationError("--start must be an absolute time.") }
        if start != nil, resume { throw ValidationError("--start and --resume cannot be used together.") }
        if measure, routes.sound.loudnessTarget == nil { throw ValidationError("--measure requires --loudness.") }
        if let segment, !(0.5...60).contains(segment) { throw ValidationError("--segment must be from 0.5 to 60.") }
        if subtitles.compactMap(\.selection).count > 1 {
            throw ValidationError("Only one --subtitles option may select tracks.")
        }
    }

    func request(for file: String) throws -> LoadRequest {
        var request = LoadRequest(source: FileArgument.source(file))
        request.http = try http.options()
        if let start { request.startPosition = start.time }
        request.options = routes.options
        request.options.variants = variants.selection
        disc.apply(to: &request.options)
        dvr.apply(to: &request.options)
        if resume { request.options.resumes = true }
        if let segment { request.options.requestedSegmentTarget = .seconds(segment) }
        if let audio { request.options.audio = audio.selection }
        if let selection = subtitles.compactMap(\.selection).first { request.options.subtitles = selection }
        request.sidecars = subtitles.compactMap(\.sidecar)
        request.options.findsSubtitles = finding.findSubtitles
        request.options.preservesScripts = preserveASS
        request.options.drawsSubtitles = drawSubtitles
        request.options.hasLowLatency = lowLatency
        if let deinterlace { request.options.deinterlacing = deinterlace.deinterlacing }
        return request
    }
}
