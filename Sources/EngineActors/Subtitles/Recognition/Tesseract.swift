// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel
internal import EngineRuntime
internal import Packaging

/// The program that recognizes text in images, if it is installed: Debian's `tesseract-ocr`.
///
/// Calls block. `interrupt` is safe from any thread.
final class Tesseract: Sendable {
    private static let places = ["/usr/local/bin/tesseract", "/usr/bin/tesseract"]
    private static let memoryLimit = 2 << 30
    /// Its threads (OpenMP) wait for each other in loops. On a busy machine, they need many times longer than one thread.
    private static let oneThread = "OMP_THREAD_LIMIT=1"
    /// The maximum CPU time of one call, in seconds.
    private static let secondLimit = 600
    private static let outputLimit = 16 << 20

    private struct State {
        var isInterrupted = false
        var run: ProgramRun?
    }

    /// `nil` if it is not installed.
    private let path = places.first { Executable.exists(at: $0) }
    private let state = Locked(State())

    func interrupt() {
        state.withLock { state in
            state.isInterrupted = true
            state.run?.kill()
        }
    }

    /// The name of a language's data, which must be installed.
    ///
    /// - Parameter language: a code or a tag.
    /// - Throws: `unavailable`, with the package that has the data.
    func data(for language: String) throws(EngineError) -> String {
        let name = Self.name(of: language)
        // The data for the orientation of pages is listed too.
        let known = String(decoding: try run(["--list-langs"]), as: UTF8.self).split(separator: "\n").dropFirst()
            .filter { $0 != "osd" }
        guard known.contains(where: { $0 == name }) else {
            let package = "tesseract-ocr-" + name.map { $0 == "_" ? "-" : String($0) }.joined()
            let cause = "installed languages: \(known.joined(separator: " "))"
            throw EngineError(.unavailable, "tesseract has no data for \(name); install \(package)", cause: cause)
        }
        return name
    }

    /// The name of a language's data: its ISO 639-2/T code, except for Chinese, which has data for each script.
    static func name(of language: String) -> String {
        let code = LanguageCode.terminology(language)
        guard code == "zho" else { return code }
        let tag = language.lowercased()
        let isTraditional = !tag.contains("-hans") && ["hant", "tw", "hk", "mo"].contains { tag.contains("-\($0)") }
        return isTraditional ? "chi_tra" : "chi_sim"
    }

    /// The text in each image.
    ///
    /// - Parameter list: the path of a file with the paths of the images, one a line.
    func texts(inFilesOf list: String, _ data: String) throws(EngineError) -> [String] {
        // 6: one block of text, with lines of one size.
        let output = try run([list, "stdout", "-l", data, "--psm", "6"])
        return String(decoding: output, as: UTF8.self).split(separator: "\u{C}", omittingEmptySubsequences: false)
            .map { RecognizedText.corrected(String($0), data) }
    }

    private func run(_ arguments: [String]) throws(EngineError) -> [UInt8] {
        guard let path else {
            throw EngineError(.unavailable, "text cannot be recognized: tesseract is not installed (tesseract-ocr)")
        }
        let run: ProgramRun
        do throws(Errno) {
            run = try ProgramRun(
                path,
                arguments,
                variable: Self.oneThread,
                memoryLimit: Self.memoryLimit,
                secondLimit: Self.secondLimit
            )
        } catch {
            throw EngineError(.resourceExhausted, "tesseract cannot be started", cause: "\(error)")
        }
        let isInterrupted = state.withLock { state in
            state.run = run
            return state.isInterrupted
        }
        defer { state.withLock { $0.run = nil } }
        if isInterrupted { run.kill() }
        guard let bytes = run.read(limit: Self.outputLimit) else {
            throw EngineError(.resourceExhausted, "tesseract returned more than \(Self.outputLimit >> 20) MiB")
        }
        guard !state.withLock({ $0.isInterrupted }) else {
            throw EngineError(.cancelled, "the recognition was cancelled")
        }
        return bytes
    }
}
