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

    @OptionGroup var cues: CueArguments

    @Option(help: "srt, vtt, ass or json.")
    var format: CueFormat?

    @Flag(help: "The same as --format json.")
    var json = false

    private var chosenFormat: CueFormat { json ? .json : format ?? .srt }

    func validate() throws {
        if json, format ?? .json != .json { throw ValidationError("--json cannot be combined with another --format.") }
    }

    func run() async throws {
        try await reporting {
            var request = try cues.request()
            request.isRaw = chosenFormat == .ass || chosenFormat == .json
            let (wanted, format) = (request, chosenFormat)
            try await cues.withClient(engine) { client in try await write(wanted, format, from: client) }
        }
    }
}

/// Writes after the last batch has arrived, because a source may store a cue after cues that start later.
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

extension CueArguments {
    /// Calls `body` with a client of the running engine. For a file, starts a hidden engine if none is running.
    func withClient(
        _ engine: EngineOptions,
        _ body: @escaping @Sendable (EngineClient) async throws -> Void
    ) async throws {
        if isSession {
            try await body(try await EngineAccess.connect(engine))
        } else {
            try await withEngine(engine, startingAt: .hidden) { engine in try await body(engine.client) }
        }
    }
}
