// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineTestKit
import Foundation
import Testing

@testable import Bindings
@testable import Decoding

@Suite("decoding real sources", .needsFFmpegCommand, .serialized, .timeLimit(.minutes(10)))
struct RealSourcesTests {
    /// `$ENGINE_MEDIA`, or `../shared/media`.
    static let folder =
        ProcessInfo.processInfo.environment["ENGINE_MEDIA"].map { URL(filePath: $0) }
        ?? Repository.root.deletingLastPathComponent().appending(path: "shared/media")

    static let films: [String] = {
        let kinds: Set = [
            "mp4", "mkv", "ts", "webm", "ivf", "hevc", "flv", "avi", "mpg", "mka", "ogg", "opus", "wav", "mp3",
        ]
        let all = FileManager.default.enumerator(atPath: folder.path)?.allObjects as? [String] ?? []
        let films = all.filter { kinds.contains(URL(filePath: $0).pathExtension) }.sorted()
        return Tier.selected(films.map { ($0, (try? size(of: $0)) ?? .max) })
    }()

    private static func size(of film: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: folder.appending(path: film).path)[.size] as? Int
    }

    /// `nil` for fragments that cannot be opened on their own, and for sources that last a minute or more.
    private static func shortFilm(_ oracle: FFmpegOracle) async throws -> MediaDescription? {
        do {
            let description = try await oracle.description()
            return description.duration ?? .zero < .seconds(60) ? description : nil
        } catch let error as EngineError where error.code == .sourceNotMedia || error.code == .noPlayableStream {
            return nil
        }
    }

    @Test(
        "most files can be opened and last less than a minute",
        .enabled(if: !films.isEmpty, "the sample files are not there; set ENGINE_MEDIA to their folder")
    )
    func mostAreFilms() async throws {
        var count = 0
        for film in Self.films {
            let oracle = FFmpegOracle(path: Self.folder.appending(path: film).path)
            if try await Self.shortFilm(oracle) != nil { count += 1 }
        }
        #expect(count * 2 > Self.films.count)
    }

    @Test("outputs the same frames and samples as ffmpeg, at the same times", arguments: films)
    func decode(film: String) async throws {
        let oracle = FFmpegOracle(path: Self.folder.appending(path: film).path)
        guard let description = try await Self.shortFilm(oracle) else { return }
        for stream in description.streams {
            switch stream.kind {
            case .video: try await oracle.compareFrames(of: stream.index, hasTimes: description.container != "hevc")
            case .audio: try await oracle.compare(oracle.audio(of: stream.index), of: stream.index)
            default: break
            }
        }
    }

    @Test("outputs the same frames when decoding starts in the middle", arguments: films)
    func entered(film: String) async throws {
        let oracle = FFmpegOracle(path: Self.folder.appending(path: film).path)
        guard let stream = try await Self.shortFilm(oracle)?.streams.first(where: { $0.kind == .video }) else { return }
        try await oracle.compareEntries(of: stream.index, at: [0.3, 0.81])
    }
}
