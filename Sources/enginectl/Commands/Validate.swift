// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineModel
internal import EngineRuntime
internal import Foundation
internal import EngineClient
internal import EngineJSON
internal import Validation

struct Validate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Fetch every playlist and segment and check them against RFC 8216 and ISO/IEC 14496-12.",
        discussion: "Takes a media file, which is served for the check, or a playlist URL or path. Exits 2 on problems."
    )

    @OptionGroup var engine: EngineOptions

    @Argument(help: "A media file, or a playlist by URL or path.", completion: .file())
    var target: String

    @OptionGroup var programs: ProgramArguments

    @Flag(help: "The report as JSON.")
    var json = false

    @Flag(inversion: .prefixedNo, help: "Decode every segment separately, in an engine.")
    var decode = true

    @Flag(
        help: """
            Accept segments up to half a second longer or shorter than announced: needed for a presentation made from \
            an HLS source, whose packager may have rounded the durations.
            """
    )
    var rounded = false

    func run() async throws {
        try await reporting {
            let output = ReportOutput(json: json, showsProgress: Terminal.isErrorTerminal)
            let place = ValidationTarget(target, programs.selection)
            let precision: TimelineCheck.Precision = rounded ? .rounded : .exact
            if case .playlist(let url) = place, !decode {
                let validator = StreamValidator(client: nil, precision: precision, showProgress: output.progress)
                try output.finish(try await validator.validate(url))
                return
            }
            try await withEngine(engine, startingAt: .hidden) { [decode] engine in
                let validator = StreamValidator(
                    client: decode ? engine.client : nil,
                    precision: precision,
                    showProgress: output.progress
                )
                try await check(place, engine.client, validator, output)
            }
        }
    }
}

private func check(
    _ place: ValidationTarget,
    _ client: EngineClient,
    _ validator: StreamValidator,
    _ output: ReportOutput
) async throws {
    switch place {
    case .playlist(let url):
        try output.finish(try await validator.validate(url))
    case .media(let source, let program):
        var request = LoadRequest(source: source)
        request.options.program = program
        let state = try await client.load(request)
        let outcome: Result<ValidationReport, any Error>
        do {
            let text = SessionText(state: state, now: monotonicNanoseconds())
            if let howToPlay = text.howToPlay { throw Failure(.failed, howToPlay) }
            guard let url = URL(string: state.url) else { throw Failure(.failed, "\(state.url) is not a valid URL") }
            outcome = .success(try await validator.validate(url))
        } catch {
            outcome = .failure(error)
        }
        await client.endSession(state.id)
        try output.finish(try outcome.get())
    }
}

/// The stream to validate.
enum ValidationTarget: Equatable {
    case playlist(URL)
    case media(String, ProgramSelection)

    /// - Parameter program: the program of a media file to serve.
    init(_ text: String, _ program: ProgramSelection = .automatic) {
        if text.hasPrefix("http://") || text.hasPrefix("https://"), let url = URL(string: text) {
            self = .playlist(url)
        } else if text.hasSuffix(".m3u8") {
            self = .playlist(URL(string: FileArgument(text).path.fileURL) ?? URL(fileURLWithPath: text))
        } else {
            self = .media(FileArgument.source(text), program)
        }
    }
}

/// Prints the report and the progress.
private struct ReportOutput: Sendable {
    let json: Bool
    let showsProgress: Bool

    var progress: @Sendable (String) -> Void {
        { [showsProgress] line in
            if showsProgress { Terminal.showStatus(line) }
        }
    }

    /// - Throws: if there are problems.
    func finish(_ report: ValidationReport) throws {
        if showsProgress { Terminal.endStatus() }
        if json {
            try Terminal.write(report.json.indentedText)
        } else {
            try Terminal.write(report.lines)
        }
        if !report.problems.isEmpty { throw Failure(.problemsFound, "") }
    }
}
