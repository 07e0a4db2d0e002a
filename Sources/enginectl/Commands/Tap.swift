// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineClient
internal import EngineModel
internal import EngineJSON

struct Tap: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Capture the decoded audio of a session: one channel, 48 kHz.",
        discussion:
            "Follows the playhead until the session ends. With --all it reads the whole source as fast as possible."
    )

    @OptionGroup var engine: EngineOptions
    @OptionGroup var session: SessionOptions

    @Option(help: ArgumentHelp("Write the audio to a WAV file.", valueName: "file"), completion: .file())
    var wav: String?

    @Flag(help: "Read the whole source instead of following the playhead.")
    var all = false

    @Option(help: ArgumentHelp("With --all: where to start.", valueName: "time"))
    var from: TimeArgument?

    @Option(help: ArgumentHelp("How far to read ahead of the playhead.", valueName: "seconds"))
    var lead: Double?

    @Flag(help: "Print one line of JSON per piece.")
    var json = false

    func validate() throws {
        if from != nil, !all { throw ValidationError("--from requires --all.") }
        if from?.isRelative == true { throw ValidationError("--from must be an absolute time.") }
        // On the wire, 0 is the default.
        if let lead, !(0.001...10).contains(lead) { throw ValidationError("--lead must be 0.001 … 10 seconds.") }
    }

    func run() async throws {
        try await reporting {
            let client = try await EngineAccess.connect(engine)
            let pace: AudioTapRequest.Pace =
                all ? .free(from: from?.time ?? .zero) : .playhead(lead: .seconds(lead ?? 0.5))
            var output = try wav.map { try WaveFile(FileArgument($0), sampleRate: TappedAudio.sampleRate) }
            var failure: Failure?
            do {
                try await client.tap(AudioTapRequest(session: session.id, pace: pace)) {
                    audio throws(EngineClientError) in
                    do throws(Failure) {
                        try output?.append(audio.samples)
                        if let line = json ? audio.json.text : audio.line { try Terminal.write(line) }
                    } catch {
                        failure = error
                        throw EngineClientError(.cancelled, "the output failed")
                    }
                }
            } catch {
                throw failure ?? error
            }
            try output?.finish()
        }
    }
}

extension TappedAudio {
    fileprivate var peak: Double { Double(samples.reduce(0) { max($0, abs($1)) }) }

    fileprivate var json: JSON {
        .object(
            ("time_us", .integer(time.microseconds)),
            ("samples", .integer(samples.count)),
            ("peak", .number(peak)),
            ("discontinuity", .bool(isDiscontinuous)),
            ("skipped_us", .integer(skipped.microseconds)),
            ("stream", .integer(stream))
        )
    }

    /// The text line for a piece that does not follow the previous one; `nil` for a contiguous piece.
    fileprivate var line: String? {
        guard isDiscontinuous else { return nil }
        let gap = skipped > .zero ? ", \(Words.time(skipped, withMilliseconds: true)) left out" : ""
        return "from \(Words.time(time, withMilliseconds: true)), stream \(stream)\(gap)"
    }
}
