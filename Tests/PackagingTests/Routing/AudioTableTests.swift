// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Foundation
import Testing

@testable import Packaging

@Suite("The audio table of docs/formats.md", .timeLimit(.minutes(10)))
struct AudioTableTests {
    struct Source: Sendable {
        let name: String
        let facts: AudioMatrix.Facts
    }

    private static func source(
        _ codec: String,
        _ channels: Int,
        name: String = "",
        profile: String = "",
        hasConfiguration: Bool = true
    ) -> Source {
        Source(
            name: name.isEmpty ? "`\(codec)`" : name,
            facts: AudioMatrix.Facts(
                codec: CodecID(rawValue: codec),
                profile: profile,
                channels: channels,
                hasConfiguration: hasConfiguration
            )
        )
    }

    static let sources: [Source] = [
        source("aac", 6, name: "AAC-LC", profile: "LC"),
        source("aac", 2, name: "HE-AAC with its configuration", profile: "HE-AAC"),
        source("aac", 2, name: "HE-AAC without", profile: "HE-AAC", hasConfiguration: false),
        source("aac", 7, name: "AAC-LC, no configuration", profile: "LC", hasConfiguration: false),
        source("aac_latm", 2), source("ac3", 6), source("eac3", 6), source("flac", 2), source("flac", 8),
        source("alac", 2),
        source("opus", 2), source("opus", 6), source("mp3", 2), source("mp2", 2), source("vorbis", 2),
        source("vorbis", 6),
        source("truehd", 8), source("mlp", 2), source("dts", 6),
        source("dts", 8, name: "`dts`, DTS-HD MA", profile: "DTS-HD MA"), source("pcm_s16le", 2),
        source("pcm_f32le", 6),
        source("pcm_bluray", 8), source("pcm_dvd", 2), source("pcm_mulaw", 1), source("wmav2", 2),
    ]

    /// The ladder, in order, in the table's notation.
    private static func words(_ facts: AudioMatrix.Facts, _ profile: PlayerProfile, _ mode: BridgeMode) -> String {
        let words = AudioMatrix.ladder(for: facts, profile: profile, mode: mode).map { rung in
            switch rung {
            case .remux: "remux"
            case .bridge(let target, _): target.codec.rawValue
            }
        }
        return words.isEmpty ? "–" : words.first == "remux" ? "remux" : words.joined(separator: ", ")
    }

    static func row(_ source: Source) -> String {
        let cells = [
            source.name, "\(source.facts.channels)",
            words(source.facts, .everything, .surround), words(source.facts, .apple, .surround),
            words(source.facts, .chromium, .surround), words(source.facts, .chromecast, .surround),
            words(source.facts, .chromecastSurround, .surround),
            words(source.facts, .everything, .lossless),
        ]
        return "| \(cells.joined(separator: " | ")) |"
    }

    @Test("has one column for the two browsers", arguments: sources)
    func browsers(source: Source) {
        #expect(Self.words(source.facts, .firefox, .surround) == Self.words(source.facts, .chromium, .surround))
    }

    @Test("has every row that the matrix produces, and no others")
    func rows() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(contentsOf: root.appending(path: "docs/formats.md"), encoding: .utf8)
        let section = try #require(page.components(separatedBy: "### Which route\n").dropFirst().first)
        let table = section.components(separatedBy: "\n## ")[0].split(separator: "\n").filter { $0.hasPrefix("| ") }
        let rows = table.dropFirst(2).map { String($0) }
        #expect(rows == Self.sources.map(Self.row))
    }
}
