// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineTestKit
import Foundation
import Testing

@testable import Bindings
@testable import EngineActors

@Suite("decoding of real films", .needsFFmpegCommand, .timeLimit(.minutes(10)))
struct RealFilmsTests {
    /// `$ENGINE_MEDIA`, or `../shared/media`.
    static let folder =
        ProcessInfo.processInfo.environment["ENGINE_MEDIA"].map { URL(filePath: $0) }
        ?? URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "shared/media")

    static let films: [String] = {
        let kinds: Set = [
            "mp4", "mkv", "ts", "webm", "ivf", "hevc", "flv", "avi", "mpg", "mka", "ogg", "opus", "wav", "mp3",
        ]
        let all = FileManager.default.enumerator(atPath: folder.path)?.allObjects as? [String] ?? []
        return all.filter { kinds.contains(URL(filePath: $0).pathExtension) }.sorted()
    }()

    @Test("gives the pictures that ffmpeg gives, at their times", arguments: films)
    func pictures(film: String) async throws {
        let oracle = FilmOracle(path: Self.folder.appending(path: film).path)
        for stream in try await oracle.description().streams where stream.kind == .video {
            let expected = try oracle.expectedPictures(of: stream.index)
            guard !expected.isEmpty else { continue }
            let found = try await oracle.pictures(of: stream.index)
            #expect(found.map(\.frame.digest) == expected.map(\.digest))
            compareTimes(found, expected)
        }
    }

    private func compareTimes(_ found: [TimedPicture], _ expected: [(microseconds: Int64?, digest: String)]) {
        guard found.count == expected.count, let first = found.first, let start = expected.first?.microseconds else {
            return
        }
        let differences = zip(found, expected).map { found, expected in
            (found.time - first.time).microseconds - ((expected.microseconds ?? 0) - start)
        }
        #expect(differences.allSatisfy { abs($0) <= 1 }, "\(differences)")
    }

    @Test("gives the samples that ffmpeg gives", arguments: films)
    func samples(film: String) async throws {
        let oracle = FilmOracle(path: Self.folder.appending(path: film).path)
        for stream in try await oracle.description().streams where stream.kind == .audio {
            let sounds = try await oracle.sounds(of: stream.index)
            try oracle.compare(sounds, of: stream.index)
        }
    }
}
