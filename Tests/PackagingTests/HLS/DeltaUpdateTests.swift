// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Packaging

@Suite("Delta updates of playlists")
struct DeltaUpdateTests {
    /// Segments of one second, with parts of the newest.
    private static func playlist(
        segments: Int,
        kind: MediaPlaylist.Kind = .window(hasEnded: false)
    ) -> MediaPlaylist {
        let boundaries = (0...segments).map { MediaTime(microseconds: Int64($0) * 1_000_000) }
        var playlist = MediaPlaylist(kind: kind, boundaries: boundaries)
        playlist.targetDuration = 2
        var parts = PlaylistParts(target: MediaTime(microseconds: 500_000))
        parts.boundaries[segments] = [0, 500_000].map { boundaries[segments] + MediaTime(microseconds: $0) }
        playlist.parts = parts
        return playlist
    }

    private static func lines(_ bytes: [UInt8]) -> [String] {
        String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    private static func read(_ bytes: [UInt8], continuing base: HLSMediaPlaylist? = nil) throws -> HLSMediaPlaylist {
        let playlist = try HLSPlaylist.parse(bytes, url: Script.url, continuing: base)
        guard case .media(let media) = playlist else { throw Script.WrongKind() }
        return media
    }

    // At a target duration of 2 s, the last 12 s must be listed.
    @Test("segments that end six target durations before the end are skipped", arguments: [(12, 0), (13, 1), (40, 28)])
    func skipped(segments: Int, skipped: Int) {
        let playlist = Self.playlist(segments: segments)
        #expect(Self.lines(playlist.bytes).allSatisfy { !$0.hasPrefix("#EXT-X-SKIP") })
        guard skipped > 0 else {
            #expect(playlist.deltaUpdate == playlist.bytes)
            return
        }
        let delta = Self.lines(playlist.deltaUpdate)
        #expect(delta.contains("#EXT-X-VERSION:9") && delta.contains("#EXT-X-MEDIA-SEQUENCE:0"))
        #expect(delta.contains("#EXT-X-SKIP:SKIPPED-SEGMENTS=\(skipped)"))
        #expect(delta.filter { $0.hasSuffix(".m4s") } == (skipped..<segments).map { "\($0).m4s" })
        let whole = Self.lines(playlist.bytes)
        let rest = delta.drop { !$0.hasPrefix("#EXTINF") }
        #expect(whole.suffix(rest.count) == rest, "what follows is the same")
    }

    @Test("a skipped segment must end before the skip boundary")
    func boundary() {
        var playlist = Self.playlist(segments: 13)
        // The first segment ends a microsecond later, 11.999999 s before the end.
        playlist.boundaries[1] = MediaTime(microseconds: 1_000_001)
        #expect(playlist.deltaUpdate == playlist.bytes)
    }

    @Test(
        "the init segment of the first listed segment is named, and discontinuities before it are skipped",
        arguments: [
            ([], "init.mp4"), ([(3, "init-1.mp4")], "init-1.mp4"),
            ([(3, "init-1.mp4"), (6, "init-2.mp4")], "init-2.mp4"),
            ([(7, "init-2.mp4")], "init.mp4"), ([(3, nil)], "init.mp4"),
        ] as [([(Int, String?)], String)]
    )
    func initSegments(discontinuities: [(Int, String?)], uri: String) {
        var playlist = Self.playlist(segments: 19)
        playlist.discontinuities = discontinuities.map { .init(segment: $0.0, initURI: $0.1) }
        let delta = Self.lines(playlist.deltaUpdate)
        let skip = delta.firstIndex(of: "#EXT-X-SKIP:SKIPPED-SEGMENTS=7")
        #expect(skip.map { delta[$0 + 1] } == "#EXT-X-MAP:URI=\"\(uri)\"")
        let expected = discontinuities.count { $0.0 >= 7 }
        #expect(delta.count { $0 == "#EXT-X-DISCONTINUITY" } == expected)
    }

    @Test("the sequence numbers of a window count only what has left it, and not what is skipped")
    func window() {
        var playlist = Self.playlist(segments: 30)
        playlist.discontinuities = [3, 8].map { .init(segment: $0, initURI: "init-\($0).mp4") }
        playlist.slide(to: 5)
        let delta = Self.lines(playlist.deltaUpdate)
        #expect(delta.contains("#EXT-X-MEDIA-SEQUENCE:5") && delta.contains("#EXT-X-DISCONTINUITY-SEQUENCE:1"))
        #expect(delta.contains("#EXT-X-SKIP:SKIPPED-SEGMENTS=13") && delta.contains("18.m4s"))
        #expect(!delta.contains("17.m4s") && delta.contains("#EXT-X-MAP:URI=\"init-8.mp4\""))
    }

    @Test("a playlist that is complete or lists no parts has no delta updates")
    func without() {
        for kind in [MediaPlaylist.Kind.vod, .window(hasEnded: true), .event(hasEnded: true)] {
            let playlist = Self.playlist(segments: 40, kind: kind)
            #expect(playlist.deltaUpdate == playlist.bytes)
        }
        var playlist = Self.playlist(segments: 40)
        playlist.parts = nil
        #expect(playlist.deltaUpdate == playlist.bytes)
        #expect(Self.lines(playlist.bytes).allSatisfy { !$0.contains("CAN-SKIP-UNTIL") })
    }

    // The reader is that of playlists of sources, which does not use the writer.
    @Test("the reader of playlists restores the whole playlist from an earlier one and a delta update")
    func merged() throws {
        for first in [0, 2] {
            var (before, after) = (Self.playlist(segments: 25), Self.playlist(segments: 30))
            for segment in [9, 17, 20] {
                before.discontinuities.append(.init(segment: segment, initURI: "init-\(segment).mp4"))
            }
            after.discontinuities = before.discontinuities
            after.slide(to: first)
            let base = try Self.read(before.bytes)
            let (merged, whole) = (try Self.read(after.deltaUpdate, continuing: base), try Self.read(after.bytes))
            #expect(merged.segments == whole.segments && merged.mediaSequence == whole.mediaSequence)
            #expect(merged.skip != nil && whole.skip == nil)
        }
    }
}
