// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineTestKit
import Testing

@testable import Bindings
@testable import Decoding

@Suite("decoding every codec", .needsFFmpegCommand, .serialized, .timeLimit(.minutes(10)))
struct CodecTests {
    @Test("outputs the same frames and samples as ffmpeg, at the same times", arguments: CodecClip.all)
    func whole(clip: CodecClip) async throws {
        let oracle = FFmpegOracle(path: try clip.path())
        let description = try await oracle.description()
        #expect(description.streams.contains { $0.kind == .video || $0.kind == .audio })
        for stream in description.streams {
            switch stream.kind {
            case .video: try await oracle.compareFrames(of: stream.index)
            case .audio: try await oracle.compare(oracle.audio(of: stream.index), of: stream.index)
            default: break
            }
        }
    }

    @Test("outputs the same frames when decoding starts in the middle", arguments: CodecClip.all)
    func entered(clip: CodecClip) async throws {
        let oracle = FFmpegOracle(path: try clip.path())
        try await oracle.compareEntries(of: 0, at: [0.02, 0.31, 0.5, 0.77, 0.99])
    }
}
