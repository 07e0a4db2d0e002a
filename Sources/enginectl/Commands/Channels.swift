// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineModel
internal import EngineJSON
internal import Foundation
internal import Packaging

struct Channels: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the channels of an M3U list, each with the address to load.",
        discussion: "The list is fetched by this command, without an engine."
    )

    /// The largest list that is fetched; a provider's list may have tens of thousands of channels.
    private static let byteLimit = 64 << 20

    @Argument(help: ArgumentHelp("The list, a file or an http: or https: URL.", valueName: "file"), completion: .file())
    var list: String

    @Flag(help: "As JSON; the schema is in docs/enginectl.md.")
    var json = false

    func run() async throws {
        try await reporting {
            let source = FileArgument.source(list)
            let file = FilePath(text: source).flatMap { $0.isAbsolute && !$0.bytes.contains(0) ? $0 : nil }
            let bytes: [UInt8]
            let resolved: (String) -> String
            if let file {
                bytes = try FileArgument(path: file).bytes(byteLimit: Self.byteLimit, failing: "cannot read \(file)")
                resolved = {
                    ChannelAddress.file($0, beside: file) { !$0.bytes.contains(0) && FileArgument(path: $0).exists }
                }
            } else if let url = URL(string: source), !url.isFileURL {
                bytes = try await ResourceFetcher().fetch(url, limit: Self.byteLimit)
                resolved = { ChannelAddress.resource($0, beside: url) }
            } else {
                throw Failure(.failed, "the URL of the list is not valid")
            }
            guard let found = ChannelList(bytes) else {
                let name = file?.text ?? URL(string: source)?.shown ?? list
                throw Failure(.failed, "\(Words.plain(name)) is not an M3U list of channels")
            }
            let channels = found.channels.map { channel in
                var channel = channel
                channel.url = resolved(channel.url)
                return channel
            }
            if json {
                let document = JSON.object(("channels", .array(channels.map(\.json))))
                try Terminal.write(document.indentedText)
            } else {
                try Terminal.write(channels.map(\.line))
            }
        }
    }
}

/// The addresses of channels in the form that `load` accepts: absolute URLs and paths.
enum ChannelAddress {
    /// An entry of a list on a server.
    static func resource(_ entry: String, beside list: URL) -> String {
        guard !entry.contains("://") else { return entry }
        return URL(string: entry, relativeTo: list)?.absoluteString ?? entry
    }

    /// An entry of a list in a file: a URL, or the name of a file. Names may contain `#`, `?` and `%`; if no file has
    /// the name as it is written, but one has the name with its percent escapes decoded, the entry means the latter.
    static func file(_ entry: String, beside list: FilePath, exists: (FilePath) -> Bool) -> String {
        guard !entry.contains("://"), !FilePath.isFileURL(entry) else { return entry }
        let folder = list.folder
        let written = place(Array(entry.utf8), in: folder)
        guard !exists(written), let name = PercentEscapes.decoded(entry[...].utf8) else { return written.text }
        let decoded = place(name, in: folder)
        return exists(decoded) ? decoded.text : written.text
    }

    private static func place(_ name: [UInt8], in folder: FilePath) -> FilePath {
        name.first == UInt8(ascii: "/") ? FilePath(name) : folder.appending(name)
    }
}

extension ChannelList.Channel {
    /// For example `Das Erste [News]  http://tuner:5004/auto/v5.1`.
    fileprivate var line: String {
        let place = group.isEmpty ? "" : " [\(group)]"
        return Words.plain("\(number.isEmpty ? "" : "\(number) ")\(name.isEmpty ? "?" : name)\(place)  \(url)")
    }

    fileprivate var json: JSON {
        .object(
            ("name", .string(name)),
            ("url", .string(url)),
            ("group", .string(group)),
            ("id", .string(identifier)),
            ("number", .string(number)),
            ("logo", .string(logo))
        )
    }
}
