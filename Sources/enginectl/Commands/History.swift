// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineClient
internal import EngineModel
internal import EngineJSON

struct History: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List how far sources were played, the latest first, or clear the history.",
        discussion: """
            load --resume begins where playback of its source stopped. For example: history, history --clear, \
            history --clear film.mkv
            """
    )

    @OptionGroup var engine: EngineOptions

    @Flag(help: "Forget the file, or everything.")
    var clear = false

    @Argument(help: "The file to forget.", completion: .file())
    var file: String?

    @Flag(help: "The entries as JSON; with --clear, how many were removed.")
    var json = false

    func validate() throws {
        if file != nil, !clear { throw ValidationError("A file can only be given with --clear.") }
    }

    func run() async throws {
        try await reporting {
            let client = try await EngineAccess.connect(engine)
            if clear {
                let removed = try await client.history.clear(file.map(FileArgument.source))
                let text = "\(Words.count(removed, "source")) forgotten"
                return try Terminal.write(json ? JSON.object(("removed", .integer(removed))).indentedText : text)
            }
            let entries = try await client.history.entries()
            if json {
                return try Terminal.write(entries.json.indentedText)
            }
            try Terminal.write(entries.map(\.line), orNone: "the history has no entries")
        }
    }
}

extension HistoryEntry {
    /// For example `0:12:03 / 1:58:20  /films/a.mkv`.
    fileprivate var line: String {
        let place = isFinished ? "finished" : Words.time(position)
        return "\(place) / \(duration.map { Words.time($0) } ?? "?")  \(Words.plain(source))"
    }
}
