// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Foundation
@testable import Packaging
import Testing

/// Reads playlists written by `ffmpeg -f hls`.
@Suite(.enabled(if: Tool.isAvailable, "ffmpeg and ffprobe are not installed"))
struct HLSPackagerTests {
    private static let picture = "testsrc2=s=64x48:r=10:d=3,format=yuv420p"

    /// Encodes 3 s in segments of 1 s.
    private static func bundle(
        _ options: [String],
        maps: [String] = ["-map", "0:v", "-map", "1:a"]
    ) throws -> ScratchDirectory {
        let scratch = try ScratchDirectory()
        let key = [UInt8](0...15)
        try Data(key).write(to: scratch.url.appendingPathComponent("k.bin"))
        try Data("k.bin\n\(scratch.path("k.bin"))\n".utf8).write(to: scratch.url.appendingPathComponent("k.txt"))
        let sources = ["-f", "lavfi", "-i", picture, "-f", "lavfi", "-i", "sine=r=48000:d=3"]
        let coding = [
            "-c:v", "libx264", "-preset", "ultrafast", "-g", "10", "-c:a", "aac", "-hls_time", "1", "-hls_list_size",
            "0",
        ]
        let options = options.map { $0.replacingOccurrences(of: "DIR", with: scratch.url.path) }
        try Tool.run(
            "ffmpeg",
            ["-nostdin", "-v", "error"] + sources + maps + coding + ["-f", "hls"] + options
        )
        return scratch
    }

    private static func read(_ scratch: ScratchDirectory, _ name: String) throws -> HLSPlaylist {
        let file = scratch.url.appendingPathComponent(name)
        return try HLSPlaylist.parse(Array(try Data(contentsOf: file)), url: file.absoluteString)
    }

    private static func size(_ url: String) -> Int64? {
        let path = URL(string: url)?.path ?? ""
        let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
        return size.map { Int64($0) }
    }

    private static func media(_ playlist: HLSPlaylist) throws -> HLSMediaPlaylist {
        guard case .media(let media) = playlist else { throw Script.WrongKind() }
        #expect(media.notices.list.isEmpty)
        // The last audio frames may form a segment of their own.
        #expect((3...4).contains(media.segments.count))
        #expect(media.hasEnded)
        let difference = abs(media.duration.microseconds - 3_000_000)
        #expect(difference < 100_000)
        for segment in media.segments {
            let size = try #require(Self.size(segment.url))
            if let range = segment.byteRange { #expect(range.end <= size) }
        }
        return media
    }

    @Test("Transport streams, byte ranges and fMP4 are read")
    func shapes() throws {
        let streams = try Self.bundle(["DIR/a.m3u8"])
        #expect(
            try Self.media(Self.read(streams, "a.m3u8")).segments.allSatisfy { $0.map == nil && $0.byteRange == nil }
        )

        let single = try Self.bundle(["-hls_flags", "single_file", "DIR/a.m3u8"])
        let ranges = try Self.media(Self.read(single, "a.m3u8")).segments.compactMap(\.byteRange)
        // The ranges cover the file without a gap.
        #expect(ranges.first?.offset == 0)
        #expect(zip(ranges, ranges.dropFirst()).allSatisfy { $0.end == $1.offset })
        #expect(ranges.last?.end == Self.size(single.url.appendingPathComponent("a.ts").absoluteString))

        let fragments = try Self.bundle(["-hls_segment_type", "fmp4", "-hls_flags", "single_file", "DIR/a.m3u8"])
        let entries = try Self.media(Self.read(fragments, "a.m3u8")).segments
        let map = try #require(entries.first?.map)
        #expect(entries.allSatisfy { $0.map == map })
        #expect(map.byteRange.map { $0.end } == entries.first?.byteRange?.offset)
    }

    @Test("Encrypted segments have a key and an IV")
    func encryption() throws {
        let bundle = try Self.bundle(["-hls_key_info_file", "DIR/k.txt", "DIR/a.m3u8"])
        let media = try Self.media(Self.read(bundle, "a.m3u8"))
        for segment in media.segments {
            let protection = try HLSProtection(keys: segment.keys, sequence: segment.sequence)
            guard case .resource(.aes128, let url, let iv) = protection else {
                Issue.record("\(protection)")
                continue
            }
            #expect(Self.size(url) == 16)
            #expect(iv.count == 16)
        }
    }

    @Test("The variants of a ladder share an audio rendition")
    func ladder() throws {
        let bundle = try Self.bundle(
            [
                "-b:v:0", "200k", "-b:v:1", "100k", "-master_pl_name", "m.m3u8", "-var_stream_map",
                "v:0,agroup:s v:1,agroup:s a:0,agroup:s,language:de,default:yes", "DIR/%v.m3u8",
            ],
            maps: ["-map", "0:v", "-map", "0:v", "-map", "1:a"]
        )
        guard case .multivariant(let master) = try Self.read(bundle, "m.m3u8") else { throw Script.WrongKind() }
        #expect(master.notices.list.isEmpty)
        let ladder = try HLSLadder(master.variants, policy: HLSVariantPolicy()) { _ in [] }
        #expect(ladder.rungs.count == 2)
        #expect(ladder.excluded.isEmpty)
        for rung in ladder.rungs {
            let audio = master.renditions(.audio, group: rung.variant.audioGroup)
            #expect(audio.map(\.language) == ["de"])
            for url in [rung.variant.url] + audio.compactMap(\.url) {
                _ = try Self.media(HLSPlaylist.parse(Array(try Data(contentsOf: #require(URL(string: url)))), url: url))
            }
        }
    }
}
