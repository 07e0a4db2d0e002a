// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineModel
internal import EngineClient
internal import EngineJSON

struct Play: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Start playback of a session, or play a file until its end or Ctrl-C.",
        discussion: """
            A file is decoded by the running engine, or by one started for this command. With \
            --realtime=false decoding is not paced: stdout gets each frame's time, a tab, and the MD5 that ffmpeg -f framemd5 \
            prints for it.
            """
    )

    @OptionGroup var engine: EngineOptions
    @OptionGroup var session: SessionOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "The file to play. Default: start playback of a session.", completion: .file())
    var file: String?

    @Option(help: ArgumentHelp(SinkArgument.form, valueName: "sink"))
    var sink: SinkArgument?

    @Option(help: ArgumentHelp("Whether playback is paced in real time.", valueName: "true|false"))
    var realtime = true

    @OptionGroup var settings: LoadSettings

    func validate() throws {
        guard file != nil else {
            if sink != nil || !realtime { throw ValidationError("--sink and --realtime require a file.") }
            return
        }
        if session.session != nil { throw ValidationError("--session cannot be used with a file.") }
        if !realtime, case .device = sink?.output ?? .null {
            throw ValidationError("--realtime=false requires --sink null or wav:PATH.")
        }
    }

    func run() async throws {
        guard let file else {
            return try await reporting { try output.print(await EngineAccess.connect(engine).play(session.id)) }
        }
        let playback = FilePlayback(
            output: sink?.output ?? (realtime ? .device("") : .null),
            isRealTime: realtime,
            isJSON: output.json,
            measures: settings.measure
        )
        try await reporting(naming: ["name": "--sink"]) {
            var request = try settings.request(for: file)
            // List the frames as they were decoded, unless the user asked for deinterlacing.
            if !realtime, settings.deinterlace == nil { request.options.deinterlacing = .off }
            do {
                try await withEngine(engine, startingAt: .usual) { [request] engine in
                    try await playback.play(request, on: engine.client)
                }
            } catch let failure as Failure where failure.status == .interrupted {
                // Interruption is a normal way to end playback.
            }
        }
    }
}
