// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineRuntime
import EngineTestKit
import Foundation
import Packaging
import Testing

@testable import Segments
@testable import Sessions

/// A clip with audio, made for one test, that can be decoded directly or served by the engine.
struct AudioClip {
    /// Long enough for two joins between one-second segments.
    private static let seconds = "2.6"

    let path: String
    private let directory: URL

    /// - Parameters:
    ///   - name: the file's name; its extension decides the container.
    ///   - encoding: `ffmpeg` arguments for the audio.
    ///   - layout: the channel layout; each channel has its own tone and level.
    init(_ name: String, _ encoding: String, layout: String = "stereo", hasVideo: Bool = true) throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "sound-\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        path = directory.appending(path: name).path
        let channels = ["mono": 1, "stereo": 2, "quad": 4, "5.1": 6, "5.1(side)": 6, "6.1": 7, "7.1": 8][layout] ?? 2
        let tones = (0..<channels).map { "\(0.02 * Double($0 + 2))*sin(2*PI*\(55 + 40 * $0)*t)+0.01*random(\($0))" }
        let audio = "aevalsrc=exprs='\(tones.joined(separator: "|"))':c=\(layout):s=48000"
        let video =
            hasVideo ? ["-f", "lavfi", "-i", "testsrc2=s=64x64:r=25"] : []
        let coding = hasVideo ? ["-c:v", "libx264", "-preset", "ultrafast", "-g", "25", "-pix_fmt", "yuv420p"] : []
        _ = try Self.run(
            video + ["-f", "lavfi", "-i", audio, "-t", Self.seconds] + coding
                + encoding.split(separator: " ").map(String.init) + ["-strict", "-2", path]
        )
    }

    func remove() { try? FileManager.default.removeItem(at: directory) }

    /// The first audio stream of `file` as `ffmpeg` decodes it: 32-bit little-endian samples.
    private static func decode(_ file: String, channels: Int) throws -> Data {
        try run(["-i", file, "-map", "0:a:0", "-ac", "\(channels)", "-f", "s32le", "-"])
    }

    func decoded(channels: Int) throws -> Data { try Self.decode(path, channels: channels) }

    /// The first audio track as it is served, from segments fetched in `order`.
    func served(
        mode: BridgeMode,
        profile: PlayerProfile = .everything,
        order: ([Int]) -> [Int] = { $0 }
    ) async throws -> (bytes: Data, state: SessionState) {
        let engine = Engine(configuration: EngineConfiguration())
        let changes = ChangeWatch()
        engine.hub.add(changes)
        var request = LoadRequest(source: path)
        request.options.bridgeMode = mode
        request.options.profile = profile
        request.options.requestedSegmentTarget = .seconds(1)
        var state = try await engine.load(request)
        try await changes.until {
            state = try await engine.state(of: state.id)
            return state.production.isPlanComplete
        }
        let token = try #require(state.url.split(separator: "/").first.map(String.init))
        let place = try #require(state.media?.streams.filter { $0.route.isServed }.firstIndex { $0.kind == .audio })
        var bodies: [Int: Data] = [:]
        for index in order(Array(0..<state.production.plannedSegments)) {
            bodies[index] = try await Self.bytes(engine, token, "audio-\(place)/\(index).m4s")
        }
        let head = try await Self.bytes(engine, token, "audio-\(place)/init.mp4")
        _ = try await engine.perform(CommandRequest(session: state.id, command: .stop))
        return (bodies.keys.sorted().reduce(head) { $0 + (bodies[$1] ?? Data()) }, state)
    }

    func samples(of served: Data, channels: Int) throws -> Data {
        let file = directory.appending(path: "served.mp4")
        try served.write(to: file)
        return try Self.decode(file.path, channels: channels)
    }

    private static func bytes(_ engine: Engine, _ token: String, _ path: String) async throws -> Data {
        switch await engine.resource(token: token, path: path, query: "") {
        case .initSegment(let body, _), .segment(let body, _, _):
            return body.regions.reduce(into: Data()) { data, region in
                region.withBytes { data.append(contentsOf: [UInt8](copying: $0)) }
            }
        case .notFound: return Data()
        case let other:
            Issue.record("\(path): \(other)")
            return Data()
        }
    }

    private static func run(_ arguments: [String]) throws -> Data {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/ffmpeg")
        process.arguments = ["-nostdin", "-v", "error", "-y"] + arguments
        process.standardOutput = output
        try process.run()
        let bytes = Data(BlockingInput(output.fileHandleForReading.fileDescriptor).all())
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "ffmpeg \(arguments.joined(separator: " "))")
        return bytes
    }
}
