// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineTestKit
import Foundation
import Packaging
import Testing

@testable import Bindings

@Suite("Dolby Vision metadata as parsed by libavcodec and by the engine", .timeLimit(.minutes(10)))
struct DolbyVisionMappingTests {
    private static let folder =
        ProcessInfo.processInfo.environment["ENGINE_MEDIA"].map { URL(filePath: $0) }
        ?? URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../../../shared/media")
        .standardized
    private static let sample = folder.appending(
        path: "joeyparrish+shaka-packager/packager/media/test/data/sparks_dovi_5.mp4"
    )

    @Test(
        "libavcodec and the engine's RPU parser agree on a real file",
        .enabled("there are no real samples") { FileManager.default.fileExists(atPath: sample.path) }
    )
    func sameNumbers() async throws {
        let (_, frames) = try await StillStudio().frames(of: Self.sample.path)
        let frame = try #require(frames.first)
        let decoded = try #require(DolbyVisionMapping(of: frame))
        let raw = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).hevc")
        defer { try? FileManager.default.removeItem(at: raw) }
        try Command.ffmpeg(["-i", Self.sample.path, "-map", "0:v", "-frames:v", "1", "-c", "copy", raw.path])
        let bytes = Array(try Data(contentsOf: raw))
        let start = try #require(bytes.indices.dropLast(6).first { bytes[$0..<$0 + 5] == [0, 0, 1, 0x7C, 1] })
        let rpu = try RPU(unit: Array(bytes[(start + 3)...]))
        let parsed = try #require(DolbyVisionMapping(rpu))
        #expect(decoded == parsed)
    }
}
