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
            let isURL = source.hasPrefix("/") == false
            guard let url = URL(string: isURL ? source : FileArgument(list).path.fileURL) else {
                throw Failure(.failed, "the URL of the list is not valid")
            }
            let bytes = try await ResourceFetcher().fetch(url, limit: Self.byteLimit)
            guard let found = ChannelList(bytes) else {
                throw Failure(.failed, "\(Words.plain(isURL ? url.shown : list)) is not an M3U list of channels")
            }
            let channels = found.channels.map { channel in
                var channel = channel
                channel.url = Self.resolved(channel.url, against: url)
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

    /// The address in a form that `load` accepts: absolute, and a path if the list is a file.
    private static func resolved(_ text: String, against list: URL) -> String {
        guard !text.contains("://") else { return text }
        let found = URL(string: text, relativeTo: list)?.absoluteURL
        guard let found, list.isFileURL else { return found?.absoluteString ?? text }
        return found.path
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
