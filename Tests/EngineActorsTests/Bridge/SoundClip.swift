// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Foundation
import Testing

@testable import EngineActors

/// A film with sound made for one test, and what becomes of it.
struct SoundClip {
    let path: String
    private let directory: URL

    /// - Parameters:
    ///   - name: of the file; its ending decides the container.
    ///   - encoding: arguments of `ffmpeg` for the sound.
    ///   - layout: of the sound, each channel with a tone and a level of its own.
    init(_ name: String, _ encoding: String, layout: String = "stereo", hasVideo: Bool = true) throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "sound-\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        path = directory.appending(path: name).path
        let channels = ["mono": 1, "stereo": 2, "quad": 4, "5.1": 6, "5.1(side)": 6, "6.1": 7, "7.1": 8][layout] ?? 2
        let tones = (0..<channels).map { "\(0.02 * Double($0 + 2))*sin(2*PI*\(55 + 40 * $0)*t)+0.01*random(\($0))" }
        let sound = "aevalsrc=exprs='\(tones.joined(separator: "|"))':c=\(layout):s=48000"
        let video =
            hasVideo ? ["-f", "lavfi", "-i", "testsrc2=s=64x64:r=25"] : []
        let coding = hasVideo ? ["-c:v", "libx264", "-preset", "ultrafast", "-g", "50", "-pix_fmt", "yuv420p"] : []
        _ = try Self.run(
            video + ["-f", "lavfi", "-i", sound, "-t", "5"] + coding
                + encoding.split(separator: " ").map(String.init) + ["-strict", "-2", path]
        )
    }

    func remove() { try? FileManager.default.removeItem(at: directory) }

    /// Samples as `ffmpeg` decodes them, 32 bits each, of the first sound in `file`.
    static func decode(_ file: String, channels: Int) throws -> [Int32] {
        let bytes = try run(["-i", file, "-map", "0:a:0", "-ac", "\(channels)", "-f", "s32le", "-"])
        return stride(from: 0, to: bytes.count - 3, by: 4).map { at in
            (0..<4).reduce(Int32(0)) { $0 | Int32(bitPattern: UInt32(bytes[at + $1]) << UInt32(8 * $1)) }
        }
    }

    func decoded(channels: Int) throws -> [Int32] { try Self.decode(path, channels: channels) }

    /// The first sound as it is served, from segments fetched in `order`.
    func served(
        mode: BridgeMode,
        profile: PlayerProfile = .everything,
        order: ([Int]) -> [Int] = { $0 }
    ) async throws -> (bytes: [UInt8], state: SessionState) {
        let engine = Engine(configuration: EngineConfiguration())
        var request = LoadRequest(source: path)
        request.options.bridgeMode = mode
        request.options.profile = profile
        request.options.segmentTarget = .seconds(2)
        var state = try await engine.load(request)
        while !state.production.isPlanComplete {
            try await Task.sleep(for: .milliseconds(20))
            state = try await engine.state(of: state.id)
        }
        let token = try #require(state.url.split(separator: "/").first.map(String.init))
        let place = try #require(state.media?.streams.filter { $0.route.isServed }.firstIndex { $0.kind == .audio })
        var bodies: [Int: [UInt8]] = [:]
        for index in order(Array(0..<state.production.plannedSegments)) {
            bodies[index] = try await Self.bytes(engine, token, "audio-\(place)/\(index).m4s")
        }
        let head = try await Self.bytes(engine, token, "audio-\(place)/init.mp4")
        _ = try await engine.perform(CommandRequest(session: state.id, command: .stop))
        return (bodies.keys.sorted().reduce(head) { $0 + (bodies[$1] ?? []) }, state)
    }

    func samples(of served: [UInt8], channels: Int) throws -> [Int32] {
        let file = directory.appending(path: "served.mp4")
        try Data(served).write(to: file)
        return try Self.decode(file.path, channels: channels)
    }

    private static func bytes(_ engine: Engine, _ token: String, _ path: String) async throws -> [UInt8] {
        switch await engine.resource(token: token, path: path, query: "") {
        case .initSegment(let body, _), .segment(let body, _):
            return body.regions.flatMap { region in region.withBytes { span in span.indices.map { span[$0] } } }
        case .notFound: return []
        case let other:
            Issue.record("\(path): \(other)")
            return []
        }
    }

    private static func run(_ arguments: [String]) throws -> [UInt8] {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/ffmpeg")
        process.arguments = ["-nostdin", "-v", "error", "-y"] + arguments
        process.standardOutput = output
        try process.run()
        let bytes = [UInt8](try output.fileHandleForReading.readToEnd() ?? Data())
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "ffmpeg \(arguments.joined(separator: " "))")
        return bytes
    }
}
