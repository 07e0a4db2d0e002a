// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Stills

@Suite("The pool of sources for stills", .timeLimit(.minutes(10)))
struct StillPoolTests {
    @Test("keeps the most recently used sources")
    func leastRecentlyUsed() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "pool-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let sources = try (0...StillPool.limit).map { number in
            let file = folder.appending(path: "\(number).mkv")
            try Data([1]).write(to: file)
            return file.path
        }
        let pool = StillPool()
        defer { pool.shutDown() }
        var first: [FrameExtractor] = []
        for source in sources.dropLast() { first.append(try await pool.extractor(for: source)) }
        #expect(try await pool.extractor(for: sources[0]) === first[0], "there is room for all of them")
        _ = try await pool.extractor(for: sources[StillPool.limit])
        #expect(try await pool.extractor(for: sources[0]) === first[0], "it was used after the others")
        #expect(try await pool.extractor(for: sources[2]) === first[2])
        #expect(try await pool.extractor(for: sources[1]) !== first[1], "it was used longest ago")
    }

    @Test("opens a file again after another file has replaced it")
    func replaced() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "pool-\(UUID()).mkv")
        defer { try? FileManager.default.removeItem(at: file) }
        let pool = StillPool()
        defer { pool.shutDown() }
        try Data([1]).write(to: file)
        let before = try await pool.extractor(for: file.path)
        try Data([1, 2]).write(to: file, options: .atomic)
        #expect(try await pool.extractor(for: file.path) !== before)
    }
}
