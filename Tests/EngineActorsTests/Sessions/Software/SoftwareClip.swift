// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineRuntime
import EngineTestKit
import Foundation
import Testing

@testable import Decoding
@testable import Sessions

/// Clips that no player accepts, made when a test first needs them: four seconds of video at 25 fps, with a tone.
enum SoftwareClip: String, CaseIterable, Sendable {
    case mpeg2 = "mpeg2.ts"
    case program = "mpeg2.mpg"
    case visual = "mpeg4.avi"
    case vp8 = "vp8.webm"
    case theora = "theora.ogv"
    case motionJPEG = "mjpeg.mov"
    case windowsMedia = "wmv2.asf"

    static let frameCount = 100

    private var coding: String {
        switch self {
        case .mpeg2: "-c:v mpeg2video -bf 2 -c:a mp2"
        case .program: "-c:v mpeg2video -bf 2 -c:a mp2 -f vob"
        case .visual: "-c:v mpeg4 -bf 2 -c:a libmp3lame"
        case .vp8: "-c:v libvpx -deadline realtime -cpu-used -8 -threads 1 -c:a libvorbis"
        case .theora: "-c:v libtheora -c:a libvorbis"
        case .motionJPEG: "-c:v mjpeg -pix_fmt yuvj420p -c:a pcm_s16le"
        case .windowsMedia: "-c:v wmv2 -c:a wmav2"
        }
    }

    private static let directory = FileManager.default.temporaryDirectory
        .appending(path: "engine-software-\(UUID().uuidString)")
    private static let lock = NSLock()

    func path() throws -> String {
        try Self.lock.withLock {
            let url = Self.directory.appending(path: rawValue)
            if FileManager.default.fileExists(atPath: url.path) { return url.path }
            try FileManager.default.createDirectory(at: Self.directory, withIntermediateDirectories: true)
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/ffmpeg")
            let input =
                "-nostdin -v error -y -f lavfi -i testsrc2=s=160x90:r=25 -f lavfi -i sine=440:r=48000 -t 4 -g 25"
            let options: [String] = "\(input) \(coding)".split(separator: " ").map { String($0) }
            process.arguments = options + [url.path]
            try process.run()
            process.waitUntilExit()
            try #require(process.terminationStatus == 0, "ffmpeg made no \(rawValue)")
            return url.path
        }
    }
}

/// A sink that takes every frame at once, and records the times and the generation. `isRealTime` is what the sink says
/// of itself.
final class FrameLog: FrameSink {
    struct Seen: Hashable, Sendable {
        let time: MediaTime
        let duration: MediaTime
        let generation: UInt64
    }

    private struct Content {
        var seen: [Seen] = []
        var generation: UInt64 = 0
        var finished: UInt64?
    }

    let isRealTime: Bool
    private let content = Locked(Content())

    init(isRealTime: Bool) { self.isRealTime = isRealTime }

    var seen: [Seen] { content.withLock { $0.seen } }
    var generation: UInt64 { content.withLock { $0.generation } }
    var hasFinished: Bool { content.withLock { $0.finished == $0.generation } }

    func take(_ frame: TimedFrame, generation: UInt64) async -> Reception {
        content.withLock { content in
            guard generation == content.generation else { return }
            content.seen.append(Seen(time: frame.time, duration: frame.duration, generation: generation))
        }
        return .taken
    }

    func flush(to generation: UInt64) { content.withLock { $0.generation = generation } }
    func follow(_ anchor: PositionAnchor, generation: UInt64) {}
    func finish(generation: UInt64) { content.withLock { $0.finished = generation } }
}
