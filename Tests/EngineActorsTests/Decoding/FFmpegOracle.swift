// SPDX-License-Identifier: Apache-2.0

import Digests
import EngineModel
import Foundation
import Testing

@testable import Bindings
@testable import Decoding
@testable import Packaging
@testable import Reading

/// Decodes a source with the engine and with the `ffmpeg` command, for comparison.
struct FFmpegOracle {
    /// A decoded frame without its pixels, which are released at once: the pixels of a whole source would fill the
    /// memory.
    struct Shown: Hashable {
        let time: MediaTime
        let duration: MediaTime
        let digest: String
        let isInterlaced: Bool

        init(_ timed: TimedFrame) throws {
            time = timed.time
            duration = timed.duration
            digest = try timed.frame.packed.digest
            isInterlaced = timed.frame.isInterlaced
        }

        var end: MediaTime { time + duration }
    }

    let path: String

    // MARK: The engine

    func description() async throws -> MediaDescription {
        let demuxer = Demuxer(name: "test")
        return try await demuxer.describe(path, options: LoadOptions())
    }

    /// - Parameter time: the time from which frames are decoded.
    func frames(
        of stream: Int,
        from time: MediaTime = .zero,
        limit: Int = .max,
        deinterlacing: Deinterlacer.Rate? = nil
    ) async throws -> [Shown] {
        let feed = try PacketFeed(.file(SourceFile.open(path)), video: stream, audio: nil)
        try await feed.enter(at: time, generation: 1)
        let decoder = SoftwareVideoDecoder(feed: feed, deinterlacing: deinterlacing)
        var shown: [Shown] = []
        while shown.count < limit, case .some(let some) = try await decoder.next(generation: 1) {
            shown += try some.map(Shown.init)
        }
        return shown
    }

    /// - Parameter time: the time from which audio is decoded.
    func audio(of stream: Int, from time: MediaTime = .zero) async throws -> [TimedAudio] {
        let feed = try PacketFeed(.file(SourceFile.open(path)), video: nil, audio: stream)
        try await feed.enter(at: time, generation: 1)
        let decoder = SoftwareAudioDecoder(feed: feed)
        var pieces: [TimedAudio] = []
        while case .some(let some) = try await decoder.next(generation: 1) { pieces += some }
        return pieces
    }

    // MARK: The ffmpeg command

    /// The digest and time of every frame, as `ffmpeg -f framemd5` prints them.
    func expectedFrames(of stream: Int, _ arguments: [String] = []) throws -> [(microseconds: Int64?, digest: String)] {
        let text = try ffmpeg(
            [
                "-copyts", "-noautorotate", "-i", path, "-map", "0:\(stream)", "-fps_mode", "passthrough",
                "-enc_time_base", "-1",
            ]
                + arguments + ["-f", "framemd5", "-"]
        )
        var base = TimeBase.microseconds
        var found: [(Int64?, String)] = []
        for line in text.split(separator: "\n") {
            if line.hasPrefix("#tb 0: ") {
                let parts = line.dropFirst(7).split(separator: "/").compactMap { Int64($0) }
                if parts.count == 2 { base = TimeBase(parts[0], parts[1]) }
            }
            guard !line.hasPrefix("#") else { continue }
            let fields = line.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
            guard fields.count >= 6 else { continue }
            found.append((Int64(fields[2]).map { base.microseconds($0) }, fields[5]))
        }
        return found
    }

    /// All samples of a stream, interleaved, as the `ffmpeg` command decodes them.
    func expectedSamples(of stream: Int, codec: String) throws -> Data {
        let url = FileManager.default.temporaryDirectory.appending(path: "engine-\(UUID().uuidString).pcm")
        defer { try? FileManager.default.removeItem(at: url) }
        _ = try ffmpeg(["-i", path, "-map", "0:\(stream)", "-c:a", codec, "-f", "data", url.path])
        return try Data(contentsOf: url)
    }

    func ffmpeg(_ arguments: [String]) throws -> String {
        let url = FileManager.default.temporaryDirectory.appending(path: "engine-\(UUID().uuidString).txt")
        _ = FileManager.default.createFile(atPath: url.path, contents: nil)
        defer { try? FileManager.default.removeItem(at: url) }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/ffmpeg")
        process.arguments = ["-nostdin", "-v", "error", "-y"] + arguments
        process.standardOutput = try FileHandle(forWritingTo: url)
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return try String(contentsOf: url, encoding: .utf8)
    }
}

extension PackedPlanes {
    /// The MD5 in hexadecimal, as in `ffmpeg -f framemd5`.
    var digest: String {
        get throws {
            var md5 = try Digest(.md5)
            try md5.update(bytes.span)
            return try Hexadecimal.text(md5.finish())
        }
    }
}
