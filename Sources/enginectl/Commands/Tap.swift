// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineClient
internal import EngineModel

struct Tap: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Listen to the decoded sound of a session: one channel, 48 kHz.",
        discussion:
            "Goes with the playhead until the session ends. With --all it reads the whole source as fast as it can."
    )

    @OptionGroup var engine: EngineOptions
    @OptionGroup var session: SessionOptions

    @Option(help: ArgumentHelp("Write the sound into a WAV file.", valueName: "file"), completion: .file())
    var wav: String?

    @Flag(help: "Not with the playhead, but all of it.")
    var all = false

    @Option(help: ArgumentHelp("With --all: from here on.", valueName: "time"))
    var from: TimeArgument?

    @Option(help: ArgumentHelp("How far it may be ahead of the playhead.", valueName: "seconds"))
    var lead: Double?

    @Flag(help: "A line of JSON for each piece.")
    var json = false

    func validate() throws {
        if from != nil, !all { throw ValidationError("--from goes with --all.") }
        if from?.isRelative == true { throw ValidationError("--from is a place.") }
        if let lead, !(0...10).contains(lead) { throw ValidationError("--lead is 0 … 10 seconds.") }
    }

    func run() async throws {
        try await reporting {
            let client = try await EngineAccess.connect(engine)
            let pace: AudioTapRequest.Pace =
                all ? .free(from: from?.time ?? .zero) : .playhead(lead: .seconds(lead ?? 0.5))
            var output = try wav.map { try WaveFile(path: $0, sampleRate: TappedSound.sampleRate) }
            try await client.tap(AudioTapRequest(session: session.id, pace: pace)) { sound in
                output?.append(sound.samples)
                if json { Terminal.write(sound.json.text) } else if let line = sound.line { Terminal.write(line) }
            }
            try output?.finish()
        }
    }
}

extension TappedSound {
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
