// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineTestKit
import Testing

@testable import Bindings
@testable import Decoding
@testable import Reading

@Suite("a packet feed", .needsFFmpegCommand, .serialized, .timeLimit(.minutes(10)))
struct FeedTests {
    private func feed(_ clip: Clip, audio: Int? = 1) async throws -> PacketFeed {
        try PacketFeed(.file(SourceFile.open(clip.path())), video: 0, audio: audio)
    }

    /// The packets of one stream up to its end, or until there are at least `count`.
    private func packets(
        _ feed: PacketFeed,
        _ kind: FeedKind,
        generation: UInt64 = 1,
        atMost count: Int = .max
    ) async throws -> [FeedPacket] {
        var found: [FeedPacket] = []
        while found.count < count, let batch = try await feed.next(kind, generation: generation) {
            found += batch.packets
            if batch.isLast { break }
        }
        return found
    }

    @Test("delivers one stream to its end, then the other", arguments: [FeedKind.video, .audio])
    func oneBehindTheOther(first: FeedKind) async throws {
        let feed = try await feed(.matroska)
        try await feed.enter(at: .zero, generation: 1)
        let second: FeedKind = first == .video ? .audio : .video
        let (one, other) = try await (packets(feed, first), packets(feed, second))
        let video = first == .video ? one : other
        #expect(video.count == 13 * 24)
        #expect((first == .video ? other : one).count > 13 * 46)
    }

    @Test(
        "reads a stream separately when it lies far from the other in the file, without losing or repeating packets",
        arguments: [Clip.matroska, .transportStream, .flash, .avi, .mp4, .fragmented],
        [FeedKind.video, .audio]
    )
    func apart(clip: Clip, first: FeedKind) async throws {
        let (usual, bounded) = try await (feed(clip), feed(clip))
        await bounded.bound(by: FeedQueue.Limit(byteCount: .max, packetCount: 40, length: .seconds(60)))
        let kinds: [FeedKind] = first == .video ? [.video, .audio] : [.audio, .video]
        for feed in [usual, bounded] { try await feed.enter(at: .zero, generation: 1) }
        for kind in kinds {
            let expected = try await packets(usual, kind)
            let found = try await packets(bounded, kind)
            #expect(found.map(\.packet.byteCount) == expected.map(\.packet.byteCount), "\(clip) \(kind)")
            #expect(found.map(\.time) == expected.map(\.time), "\(clip) \(kind)")
        }
    }

    @Test("delivers no packets of an old generation")
    func generations() async throws {
        let feed = try await feed(.matroska)
        try await feed.enter(at: .zero, generation: 1)
        #expect(try await feed.next(.video, generation: 1) != nil)
        try await feed.enter(at: .seconds(6), generation: 2)
        #expect(try await feed.next(.video, generation: 1) == nil)
        let batch = try #require(try await feed.next(.video, generation: 2))
        #expect(batch.packets.first?.packet.isKey == true)
    }

    @Test(
        "fails once its file was changed in place, and does not take the end of that file for the end of the source",
        arguments: [Clip.matroska, .mp4, .transportStream],
        ClipCopy.Change.allCases
    )
    func changed(clip: Clip, change: ClipCopy.Change) async throws {
        let copy = try ClipCopy(of: clip)
        defer { copy.remove() }
        let feed = try PacketFeed(.file(SourceFile.open(copy.path)), video: 0, audio: 1)
        try await feed.enter(at: .zero, generation: 1)
        _ = try await packets(feed, .video, atMost: 40)
        try copy.make(change)
        for kind in FeedKind.allCases {
            await #expect(throws: EngineError.self) { try await packets(feed, kind) }
            #expect(
                await code { () throws(EngineError) in _ = try await feed.next(kind, generation: 1) } == .sourceChanged
            )
        }
        #expect(
            await code { () throws(EngineError) in
                try await feed.enter(at: .seconds(6), generation: 2)
            } == .sourceChanged
        )
    }

    private func code(_ call: () async throws(EngineError) -> Void) async -> EngineError.Code? {
        do throws(EngineError) { try await call() } catch { return error.code }
        return nil
    }

    @Test("fails requests that arrive after it was interrupted")
    func interrupted() async throws {
        let feed = try await feed(.matroska)
        try await feed.enter(at: .zero, generation: 1)
        feed.interrupt()
        await #expect(throws: EngineError.self) { try await feed.enter(at: .seconds(3), generation: 2) }
    }

    @Test("adds an audio stream from a given time on, without affecting the video", arguments: [Clip.matroska, .mp4])
    func switching(clip: Clip) async throws {
        let feed = try await feed(clip, audio: nil)
        try await feed.enter(at: .zero, generation: 1)
        let before = try await packets(feed, .video, atMost: 48)
        try await feed.select(audio: 1, from: .seconds(5), generation: 2)
        let audio = try await packets(feed, .audio, generation: 2)
        let after = try await packets(feed, .video)
        #expect(before.count + after.count == 13 * 24)
        let first = try #require(audio.first)
        let facts = try #require(await feed.facts(.audio))
        #expect(facts.time(first.time) <= .seconds(5))
        #expect(facts.time(first.time) > .seconds(4))
    }

    @Test("reports a stream that does not exist")
    func missing() async throws {
        let feed = try await feed(.matroska, audio: 7)
        await #expect { try await feed.enter(at: .zero, generation: 1) } throws: { error in
            (error as? EngineError)?.code == .trackNotFound
        }
    }
}
