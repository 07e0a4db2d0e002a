// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineRuntime
import EngineTestKit
import Foundation
import Testing

@testable import Bindings
@testable import Decoding
@testable import Reading

/// A second software decoder takes the role of the device, and fails as a device does.
@Suite("a device decoder that falls back to software", .needsFFmpegCommand, .serialized, .timeLimit(.minutes(10)))
struct FallbackDecoderTests {
    private static func devices(
        _ open: @escaping @Sendable (CodecParameters) throws(FFmpegError) -> VideoDecoder
    ) -> DecodingDevices {
        DecodingDevices(kinds: { _ in [.vaapi] }, open: { (_, parameters) throws(FFmpegError) in try open(parameters) })
    }

    private static let standIn = devices { (parameters) throws(FFmpegError) in
        try VideoDecoder.open(parameters, threading: .frames, threads: 1)
    }

    /// Not shared with other runs of the tests.
    private static let folder = FileManager.default.temporaryDirectory
        .appending(path: "engine-device-\(UUID().uuidString)")

    private func place(_ name: String) throws -> URL {
        try FileManager.default.createDirectory(at: Self.folder, withIntermediateDirectories: true)
        return Self.folder.appending(path: name)
    }

    /// A clip with noise in one of its packets, which makes its decoder fail.
    private func damaged(_ name: String, at packet: Int) throws -> String {
        let clip = try #require(CodecClip.all.first { $0.name == name })
        let url = try place("\(packet)-\(name)")
        let noise = "noise=amount=eq(n\\,\(packet))"
        _ = try FFmpegOracle(path: url.path)
            .ffmpeg(["-i", clip.path(), "-map", "0:v:0", "-c", "copy", "-bsf:v", noise, url.path])
        return url.path
    }

    private func decode(_ path: String, _ devices: DecodingDevices?) async throws -> DecodingBench.Outcome {
        let feed = try PacketFeed(.file(SourceFile.open(path)), video: 0, audio: nil)
        try await feed.enter(at: .zero, generation: 1)
        var (batches, isLast): ([PacketBatch], Bool) = ([], false)
        while !isLast, let batch = try await feed.next(.video, generation: 1) {
            batches.append(batch)
            isLast = batch.isLast
        }
        await feed.close()
        return try await DecodingBench().decode(batches, devices)
    }

    @Test(
        "outputs the same frames as software decoding when the device fails midway",
        arguments: ["theora.ogg", "vp8.webm", "hi10.mkv", "prores.mov"],
        [37, 99]
    )
    func midway(name: String, packet: Int) async throws {
        let path = try damaged(name, at: packet)
        let expected = try await decode(path, nil)
        let found = try await decode(path, Self.standIn)
        #expect(found.choice.backend == .processor, "the stand-in did not notice")
        #expect(found.frames == expected.frames)
        #expect(expected.frames.count > 60)
    }

    /// An AVI file with the WMV3 video that `scripts/vc1-numbers.py` writes, and with noise in one of its packets.
    private func windowsMedia(damagedAt packet: Int) throws -> String {
        let film = try place("\(packet).rcv")
        let writer = Process()
        writer.executableURL = URL(filePath: "/usr/bin/env")
        let script = Repository.root.appending(path: "scripts/vc1-numbers.py").path
        writer.arguments = ["python3", script, "main", "150", film.path]
        try writer.run()
        writer.waitUntilExit()
        try #require(writer.terminationStatus == 0)
        let damaged = try place("\(packet).avi")
        _ = try FFmpegOracle(path: damaged.path)
            .ffmpeg([
                "-i", film.path, "-c", "copy", "-bsf:v", "setts=ts=N,noise=amount=eq(n\\,\(packet))", damaged.path,
            ])
        return damaged.path
    }

    @Test("continues WMV3 in software when the device fails midway", arguments: [35, 97])
    func windowsMediaMidway(packet: Int) async throws {
        let path = try windowsMedia(damagedAt: packet)
        let expected = try await decode(path, nil)
        let found = try await decode(path, Self.standIn)
        #expect(found.choice.backend == .processor, "the stand-in did not notice")
        #expect(found.frames == expected.frames)
        #expect(expected.frames.count > 140)
    }

    @Test("keeps a device that decodes, and falls back to software if the device cannot be opened")
    func choosing() async throws {
        let clip = try #require(CodecClip.all.first { $0.name == "hi10.mkv" })
        let expected = try await decode(clip.path(), nil)
        let kept = try await decode(clip.path(), Self.standIn)
        #expect(kept.choice.backend == .device(.vaapi))
        #expect(kept.frames == expected.frames)
        let absent = Self.devices { (_) throws(FFmpegError) in throw FFmpegError(-5, in: "av_hwdevice_ctx_create") }
        let left = try await decode(clip.path(), absent)
        #expect(left.choice.backend == .processor && left.choice.reasons.count == 1)
        #expect(left.frames == expected.frames)
    }

    @Test("drops a device that can decode none of the packets")
    func useless() async throws {
        let clip = try #require(CodecClip.all.first { $0.name == "hi10.mkv" })
        let other = try #require(CodecClip.all.first { $0.name == "prores.mov" })
        let feed = try PacketFeed(.file(SourceFile.open(other.path())), video: 0, audio: nil)
        try await feed.enter(at: .zero, generation: 1)
        let wrong = try #require(try await feed.next(.video, generation: 1)).facts
        let useless = Self.devices { (_) throws(FFmpegError) in
            try VideoDecoder.open(wrong.parameters, threading: .frames, threads: 1)
        }
        let found = try await decode(clip.path(), useless)
        #expect(found.choice.backend == .processor)
        #expect(found.frames == (try await decode(clip.path(), nil)).frames)
    }
}

/// Decodes on its own thread, which may block.
private actor DecodingBench {
    struct Outcome: Sendable {
        var frames: [String] = []
        var choice = DecoderChoice([])
    }

    private let executor = ThreadExecutor(name: "test-decoder")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    func decode(_ batches: [PacketBatch], _ devices: DecodingDevices?) throws -> Outcome {
        let facts = try #require(batches.first?.facts)
        var decoder = try FallbackDecoder.open(facts, devices: devices, allocation: nil)
        var outcome = Outcome()
        for packet in batches.flatMap(\.packets) {
            try? decoder.send(packet.packet, .everything, privateData: nil)
            try receive(&decoder, &outcome)
        }
        try? decoder.drain()
        try receive(&decoder, &outcome)
        outcome.choice = decoder.choice
        return outcome
    }

    private func receive(_ decoder: inout FallbackDecoder<VideoDecoder>, _ outcome: inout Outcome) throws {
        var errors = 0
        while errors < 64 {
            let frame: VideoFrame
            do throws(FFmpegError) {
                guard case .frame(let received) = try decoder.receive() else { return }
                frame = received
            } catch {
                errors += 1
                continue
            }
            outcome.frames.append("\(frame.pts ?? -1) \(try frame.packed.digest)")
        }
    }
}
