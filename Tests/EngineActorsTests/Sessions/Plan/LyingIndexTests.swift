// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineTestKit
import Foundation
import Testing

@testable import Segments
@testable import Sessions

@Suite("The index of an MP4 file", .needsFFmpegCommand, .timeLimit(.minutes(10)))
struct LyingIndexTests {
    /// Loads the clip with changed sample numbers in its `stss` box (ISO/IEC 14496-12 §8.6.2), and requests every
    /// segment.
    private func load(
        syncSamples change: (inout [UInt32]) -> Void
    ) async throws -> SessionState {
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: Clip.mp4.path())))
        let name = Array("stss".utf8)
        let at = try #require(bytes.indices.dropLast(4).first { Array(bytes[$0..<$0 + 4]) == name })
        func word(_ place: Int) -> UInt32 { bytes[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) } }
        var samples = (0..<Int(word(at + 8))).map { word(at + 12 + 4 * $0) }
        let count = samples.count
        change(&samples)
        try #require(samples.count == count)
        for (index, sample) in samples.enumerated() {
            for shift in 0..<4 {
                bytes[at + 12 + 4 * index + shift] = UInt8(truncatingIfNeeded: sample >> (24 - 8 * shift))
            }
        }
        let url = FileManager.default.temporaryDirectory.appending(path: "lying-\(UUID()).mp4")
        try write(bytes, to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        let engine = Engine(configuration: EngineConfiguration())
        let state = try await engine.load(LoadRequest(source: url.path))
        // Every segment must start where the plan says; otherwise making it fails.
        let token = try #require(state.url.split(separator: "/").first.map(String.init))
        for index in 0..<state.production.plannedSegments {
            guard case .segment = await engine.resource(token: token, path: "video/\(index).m4s", query: "") else {
                Issue.record("segment \(index) is not there")
                continue
            }
        }
        return state
    }

    /// Writes a file that is an hour old. A newer file may seem to have a writer for a moment, because another test
    /// that starts a program copies the descriptor.
    private func write(_ bytes: [UInt8], to url: URL) throws {
        try Data(bytes).write(to: url)
        let time = Date(timeIntervalSinceNow: -3600)
        try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: url.path)
    }

    @Test("causes an error when its offsets exceed any possible file size")
    func farAway() async throws {
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: Clip.mp4.path())))
        let name = Array("stco".utf8)
        for at in bytes.indices.dropLast(8) where Array(bytes[at..<at + 4]) == name {
            // Half as many offsets, each of twice as many bytes (ISO/IEC 14496-12 §8.7.5).
            bytes.replaceSubrange(at..<at + 4, with: Array("co64".utf8))
            let count = bytes[at + 8..<at + 12].reduce(0) { $0 << 8 | Int($1) } / 2
            for (index, byte) in [24, 16, 8, 0].map({ UInt8(truncatingIfNeeded: count >> $0) }).enumerated() {
                bytes[at + 8 + index] = byte
            }
            for place in 0..<count {
                let start = at + 12 + 8 * place
                bytes.replaceSubrange(start..<start + 8, with: [0x7F] + [UInt8](repeating: 0xFF, count: 7))
            }
        }
        let url = FileManager.default.temporaryDirectory.appending(path: "far-\(UUID()).mp4")
        try write(bytes, to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        await #expect(throws: EngineError.self) {
            try await Engine(configuration: EngineConfiguration()).load(LoadRequest(source: url.path))
        }
    }

    @Test("is trusted when it is valid")
    func honest() async throws {
        let state = try await load { _ in }
        #expect(state.production.planOrigin == .index)
        #expect(state.production.plannedSegments == 4)
    }

    @Test("loses the entries that are not random access points, and keeps the others")
    func someLie() async throws {
        let state = try await load { samples in
            for index in 1..<samples.count where index % 2 == 0 { samples[index] += 5 }
        }
        #expect(state.production.planOrigin == .index)
        #expect(state.duration == .seconds(13) || state.production.plannedSegments >= 3)
    }

    @Test("is rejected when it does not start with the first keyframe")
    func firstLies() async throws {
        let state = try await load { samples in
            for index in samples.indices { samples[index] += 5 }
        }
        #expect(state.production.planOrigin != .index)
    }
}
