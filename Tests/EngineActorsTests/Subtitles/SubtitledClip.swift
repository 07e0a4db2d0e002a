// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Foundation
import Testing

@testable import Bindings
@testable import Reading
@testable import Subtitles
@testable import Packaging

/// A clip with video, audio, and one cue per second in stream 2, opened for playback. No cue starts or ends on a
/// segment boundary.
struct SubtitledClip {
    let folder: URL
    let demuxer = Demuxer(name: "test")
    let source: OpenedSource
    let plan: SegmentPlan

    static let cueCount = 24

    /// - Parameter name: a file name whose extension selects the container. MP4 uses its own text format.
    init(_ name: String) async throws {
        let made = FileManager.default.temporaryDirectory.appending(path: "engine-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: made, withIntermediateDirectories: true)
        let text = (0..<Self.cueCount).map { number in
            let second = String(format: "%02d", number)
            return "\(number + 1)\n00:00:\(second),300 --> 00:00:\(second),900\ncue \(number)\n"
        }.joined(separator: "\n")
        try text.write(to: made.appending(path: "cues.srt"), atomically: true, encoding: .utf8)
        let file = made.appending(path: name)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/ffmpeg")
        let form = name.hasSuffix("mp4") ? "mov_text" : "srt"
        let words = """
            -nostdin -v error -f lavfi -i testsrc2=s=160x90:r=24 -f lavfi -i sine=440:r=48000 -i cues.srt -map 0 -map 1 -map 2 \
            -t 24 -c:v libx264 -preset ultrafast -bf 2 -g 24 -pix_fmt yuv420p -c:a aac -c:s \(form) \(name)
            """
        process.currentDirectoryURL = made
        process.arguments = words.split(separator: " ").map(String.init)
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "ffmpeg made no \(name)")
        folder = made
        var options = LoadOptions()
        options.requestedSegmentTarget = .seconds(2)
        source = try await demuxer.open(file.path, options: options)
        plan = try #require(source.indexPlan)
    }

    var units: SubtitleUnits { SubtitleUnits(source, plan) }

    /// The source, with another codec declared for its subtitles.
    func source(naming codec: CodecID) -> OpenedSource {
        var media = source.media
        media.streams[2].codec = codec
        return OpenedSource(
            file: source.file,
            container: source.container,
            edits: source.edits,
            media: media,
            tracks: source.tracks,
            origin: source.origin,
            indexPlan: source.indexPlan,
            trackEnds: source.trackEnds,
            notices: source.notices
        )
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }
}

/// The properties that two copies of a packet must share.
struct PacketMark: Hashable {
    let time: Int64?
    let duration: Int64
    let bytes: [UInt8]

    init(_ packet: Packet) {
        time = packet.pts
        duration = packet.duration
        bytes = packet.withBytes { span in span.indices.map { span[$0] } }
    }
}
