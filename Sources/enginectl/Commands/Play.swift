// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineModel
internal import EngineClient

struct Play: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Start the clock of a session, or play a file until its end or Ctrl-C.",
        discussion: """
            With a file, the engine that runs decodes it, else one that is started for as long as this lasts. With \
            --realtime=false nothing waits: stdout has the time of each picture, a tab, and the MD5 that ffmpeg -f framemd5 \
            gives for it.
            """
    )

    @OptionGroup var engine: EngineOptions
    @OptionGroup var session: SessionOptions

    @Argument(help: "The file to play; without it the clock of a session is started.", completion: .file())
    var file: String?

    @Option(help: ArgumentHelp(SinkArgument.form, valueName: "sink"))
    var sink: SinkArgument?

    @Option(help: ArgumentHelp("Whether it is played as time passes.", valueName: "true|false"))
    var realtime = true

    @OptionGroup var settings: LoadSettings

    func validate() throws {
        guard file != nil else {
            if sink != nil || !realtime { throw ValidationError("--sink and --realtime are for playing a file.") }
            return
        }
        if session.session != nil { throw ValidationError("A file is played in a session of its own.") }
        if !realtime, case .device = sink?.output ?? .null {
            throw ValidationError("A device plays as time passes: --realtime=false takes --sink null or wav:PATH.")
        }
    }

    func run() async throws {
        guard let file else {
            return try await reporting { print(try await EngineAccess.connect(engine).play(session.id)) }
        }
        var request = settings.request(for: file)
        // List the frames as they were decoded, unless the user asked for deinterlacing.
        if !realtime, settings.deinterlace == nil { request.options.deinterlacing = .off }
        let output = sink?.output ?? (realtime ? .device("") : .null)
        try await reporting { [realtime, request] in
            do {
                try await withEngine(engine, startingAt: .usual) { engine in
                    try await FilePlayback(client: engine.client, output: output, isRealTime: realtime).play(request)
                }
            } catch let failure as Failure where failure.status == .interrupted {
                // Interruption is a normal way to end playback.
            }
        }
    }
}
