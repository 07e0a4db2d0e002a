// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineRuntime
import EngineTestKit
import Testing

@testable import Reading
@testable import Subtitles

@Suite("Decoding the subtitles of a session", .timeLimit(.minutes(10)))
struct SubtitleDecoderTests {
    @Test("a track that cannot be decoded is reported, and the others are decoded")
    func brokenTrack() async throws {
        let clip = try await SubtitledClip("clip.mkv")
        defer { clip.remove() }
        let (windows, window) = AsyncStream.makeStream(of: CueWindow.self)
        let decoder = SubtitleDecoder(
            source: clip.source,
            plan: clip.plan,
            pressure: PlaybackPressure(),
            onWindow: { window.yield($0) }
        )
        // A track of the same stream, in a format that no decoder supports.
        let broken = SubtitleTrack(
            id: 1,
            codec: CodecID(rawValue: "unheard_of"),
            isText: true,
            origin: .embedded(stream: 2)
        )
        await decoder.add([broken])
        await decoder.move(to: .zero, isJump: true)
        await decoder.select([1, 2])
        var latest = CueWindow()
        for await next in windows {
            latest = next
            if latest.cues.count == SubtitledClip.cueCount { break }
        }
        #expect(latest.cues.allSatisfy { $0.track == 2 })
        #expect(latest.failures[2] == nil && latest.failures.search == nil)
        #expect(latest.failures.byTrack.map(\.track) == [1])
        #expect(latest.failures[1]?.message.contains("unheard_of") == true)
        await decoder.stop()
    }
}
