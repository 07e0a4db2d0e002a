// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineTestKit
import Foundation
import Packaging
import Testing

/// Real files, if installed: in `$ENGINE_MEDIA`, or in `../shared/media` beside the repository.
enum SampleCorpus {
    static let directory: URL? = {
        let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let path =
            ProcessInfo.processInfo.environment["ENGINE_MEDIA"]
            ?? repository.deletingLastPathComponent().appendingPathComponent("shared/media").path
        return FileManager.default.fileExists(atPath: path) ? URL(fileURLWithPath: path) : nil
    }()

    private static let types: Set<String> = [
        "mp4", "mkv", "mka", "webm", "ts", "avi", "flv", "ogg", "m4a", "mp3", "ivf",
    ]
    private static let byteLimit = 320 << 10

    /// Paths below the directory, in order.
    static let files: [String] = {
        guard let directory, let walk = FileManager.default.enumerator(atPath: directory.path) else { return [] }
        let found = walk.compactMap { $0 as? String }.sorted().map { name in
            let path = directory.appendingPathComponent(name).path
            return (path: name, size: (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0)
        }
        return Tier.selected(
            found.filter { types.contains(URL(fileURLWithPath: $0.path).pathExtension) && $0.size <= byteLimit }
        )
    }()
}

@Suite(
    .enabled(if: Tool.isAvailable, "ffmpeg and ffprobe are not installed"),
    .enabled(if: SampleCorpus.directory != nil, "the sample files are not there; set ENGINE_MEDIA to their folder"),
    .serialized
)
struct SampleCorpusTests {
    private static let carried: Set<CodecID> = [
        .h264, .hevc, .av1, .vp9, .aac, .ac3, .eac3, .flac, .alac, .opus, .mp3,
    ]

    @Test("Real streams are unchanged in our segments, by packets and by frames", arguments: SampleCorpus.files)
    func roundTrip(_ name: String) throws {
        let path = SampleCorpus.directory?.appendingPathComponent(name).path ?? name
        for selector in ["v:0", "a:0"] {
            let scratch = try ScratchDirectory()
            guard let source = try? SourceStream(path: path, selector: selector, scratch: scratch),
                Self.carried.contains(source.codec), !source.packets.isEmpty
            else { continue }
            let packaged = try PackagedFile(source, scratch: scratch)
            let again = try SourceStream(path: packaged.path, selector: selector, scratch: scratch)
            #expect(again.codec == source.codec)
            #expect(again.packets.map(\.bytes) == packaged.samples.map { ByteBody([$0.payload]).joined })
            let decoded = try Decoded.digests(packaged.path, selector)
            let expected = try Decoded.digests(path, selector)
            #expect(
                decoded == expected,
                "\(selector) \(source.codec.rawValue): \(decoded.count) frames of \(expected.count)"
            )
        }
    }
}

@Suite(
    .enabled(if: Tool.isAvailable, "ffmpeg and ffprobe are not installed"),
    .enabled(if: SampleCorpus.directory != nil, "the sample files are not there; set ENGINE_MEDIA to their folder"),
    .serialized
)
struct SampleBoxTests {
    @Test(
        "Boxes derived from packets match those in the original file",
        arguments: [
            ("androidx+media/mp4/sample_eac3joc.mp4", "a:0", "ec-3/dec3"),
            ("androidx+media/mp4/sample_alac.mp4", "a:0", "alac/alac"),
            ("androidx+media/mp4/sample_with_colr_mdcv_and_clli.mp4", "v:0", "av01/av1C"),
            ("androidx+media/mp4/sample_with_colr_mdcv_and_clli.mp4", "v:0", "av01/colr"),
            ("pytorch+torchcodec/test/resources/h264_10bits.mp4", "v:0", "avc1/avcC"),
        ]
    )
    func boxes(_ name: String, _ selector: String, _ box: String) throws {
        let scratch = try ScratchDirectory()
        let path = SampleCorpus.directory?.appendingPathComponent(name).path ?? name
        let source = try SourceStream(path: path, selector: selector, scratch: scratch)
        let packaged = try PackagedFile(source, scratch: scratch)
        let entry = "moov/trak/mdia/minf/stbl/stsd/\(box)"
        let own = BoxTree(bytes: Array(try Data(contentsOf: URL(fileURLWithPath: path)))).payload(entry)
        #expect(own != nil)
        #expect(BoxTree(bytes: InitSegment.bytes(for: packaged.setup.track)).payload(entry) == own)
    }
}
