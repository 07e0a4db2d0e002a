// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineClient
internal import EngineModel
internal import EngineJSON
internal import EngineRuntime

struct Record: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write what a session plays to a file, or show whether it is being recorded.",
        discussion: """
            For example: record start film.mp4, record start film.mp4 --from -10:00, record, record stop. The engine writes the file, \
            and continues when enginectl has ended.
            """,
        subcommands: [RecordShow.self, RecordStart.self, RecordStop.self],
        defaultSubcommand: RecordShow.self
    )
}

struct RecordShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show the recording that is running, otherwise the last one."
    )

    @OptionGroup var engine: EngineOptions
    @OptionGroup var session: SessionOptions
    @OptionGroup var output: RecordOutput

    func run() async throws {
        try await reporting {
            let client = try await EngineAccess.connect(engine)
            try output.print(try await client.state(of: session.id))
        }
    }
}

struct RecordStart: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "start",
        abstract: "Begin to record a session.",
        discussion: """
            The file is fragmented MP4 with the video and all audio tracks as players receive them. The text of subtitle tracks \
            is written beside it, such as film.en.srt. If the format of the video changes, the recording continues in \
            film-2.mp4.
            """
    )

    @OptionGroup var engine: EngineOptions
    @OptionGroup var session: SessionOptions
    @OptionGroup var output: RecordOutput

    @Argument(help: "The file to create; it must not exist.", completion: .file())
    var file: String

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Begin at this time (\(TimeArgument.form)). Default: the playhead.", valueName: "time")
    )
    var from: TimeArgument?

    func run() async throws {
        try await reporting {
            let client = try await EngineAccess.connect(engine)
            var request = RecordingRequest(path: FileArgument(file).path.text)
            if let from {
                let playhead = from.isRelative ? try await playhead(client) : .zero
                request.start = max(.zero, playhead + from.time)
            }
            try output.print(try await client.startRecording(session.id, request).state)
        }
    }

    private func playhead(_ client: EngineClient) async throws -> MediaTime {
        let state = try await client.state(of: session.id)
        return SessionText(state: state, now: monotonicNanoseconds()).position
    }
}

struct RecordStop: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop",
        abstract: "End the recording of a session; its file is then complete."
    )

    @OptionGroup var engine: EngineOptions
    @OptionGroup var session: SessionOptions
    @OptionGroup var output: RecordOutput

    func run() async throws {
        try await reporting {
            let client = try await EngineAccess.connect(engine)
            try output.print(try await client.stopRecording(session.id).state)
        }
    }
}

struct RecordOutput: ParsableArguments {
    @Flag(help: "The recording as JSON; null if there is none.")
    var json = false

    func print(_ state: SessionState) throws {
        guard !json else { return try Terminal.write((state.recording?.json ?? .null).indentedText) }
        try Terminal.write(RecordingText.lines(state.recording))
    }
}
