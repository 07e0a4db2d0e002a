// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineClient
internal import EngineModel
internal import EngineJSON

struct Cache: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show or clear the cache for sources on servers.",
        discussion: """
            Each line has the time of the last use, how much is on disk and in memory, the length of the source, and its URL.
            For example: cache, cache clear, cache clear https://example.org/film.mkv
            """,
        subcommands: [CacheShow.self, CacheClear.self],
        defaultSubcommand: CacheShow.self
    )
}

struct CacheShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "List the cached sources, the last used first."
    )

    @OptionGroup var engine: EngineOptions

    @Flag(help: "As JSON.")
    var json = false

    func run() async throws {
        try await reporting {
            let report = try await EngineAccess.connect(engine).sourceCache.report()
            if json { return try Terminal.write(report.json.indentedText) }
            for line in report.lines { try Terminal.write(line) }
        }
    }
}

struct CacheClear: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear",
        abstract: "Remove a source from the cache, or all of them.",
        discussion: "Sources in use are fetched again when they are read."
    )

    @OptionGroup var engine: EngineOptions

    @Argument(help: "The URL of the source. Its user name, password and query do not count.")
    var source: String?

    @Flag(help: "How much was removed, as JSON.")
    var json = false

    func run() async throws {
        try await reporting(naming: ["source": "\"\(ShownURL.text(of: source ?? ""))\""]) {
            let cleared = try await EngineAccess.connect(engine).sourceCache.clear(source)
            let document = JSON.object(
                ("sources", .integer(cleared.sources)),
                ("bytes", .integer(cleared.byteCount))
            )
            let text = "\(Words.count(cleared.sources, "source")) removed, \(Words.bytes(cleared.byteCount))"
            try Terminal.write(json ? document.indentedText : text)
        }
    }
}

extension SourceCacheReport {
    /// The fill levels in memory and on disk, then a line for each source.
    fileprivate var lines: [String] {
        var lines = ["memory: \(Self.fill(memory))"]
        if let disk {
            lines.append("disk: \(Self.fill(disk)) in \(Words.plain(directory))")
        } else {
            lines.append("disk: off")
        }
        if !problem.isEmpty { lines.append("disk: not written, \(Words.plain(problem))") }
        return lines + sources.map(\.line)
    }

    private static func fill(_ store: Store) -> String {
        "\(Words.bytes(store.byteCount)) of \(Words.bytes(store.byteLimit))"
    }

    fileprivate var json: JSON {
        .object(
            ("memory_bytes", .integer(memory.byteCount)),
            ("memory_limit_bytes", .integer(memory.byteLimit)),
            ("disk_bytes", .integer(disk?.byteCount ?? 0)),
            ("disk_limit_bytes", .integer(disk?.byteLimit ?? 0)),
            ("directory", .string(directory)),
            ("problem", .string(problem)),
            ("sources", .array(sources.map(\.json)))
        )
    }
}

extension SourceCacheReport.Source {
    /// For example `2026-11-23 06:40:12  12 MB disk, 3 MB memory of 700 MB  https://example.org/a.mkv  in use`.
    fileprivate var line: String {
        let kept =
            "\(Words.bytes(diskByteCount)) disk, \(Words.bytes(memoryByteCount)) memory of \(Words.bytes(byteCount))"
        return "\(Words.date(lastUseUnixMicroseconds))  \(kept)  \(Words.plain(url))" + (isInUse ? "  in use" : "")
    }

    fileprivate var json: JSON {
        .object(
            ("url", .string(url)),
            ("byte_count", .integer(byteCount)),
            ("memory_bytes", .integer(memoryByteCount)),
            ("disk_bytes", .integer(diskByteCount)),
            ("last_use_unix_us", .integer(lastUseUnixMicroseconds)),
            ("in_use", .bool(isInUse))
        )
    }
}
