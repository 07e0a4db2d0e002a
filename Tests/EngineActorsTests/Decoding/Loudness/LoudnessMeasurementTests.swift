// SPDX-License-Identifier: Apache-2.0

import EngineModel
import EngineTestKit
import Foundation
import Testing

@testable import Decoding
@testable import Reading

@Suite("Measuring a track", .needsFFmpegCommand, .timeLimit(.minutes(10)))
struct LoudnessMeasurementTests {
    private static func measurement(
        of path: String,
        stream: Int? = nil,
        _ store: LoudnessStore = LoudnessStore(directory: nil)
    ) -> LoudnessMeasurement {
        LoudnessMeasurement(.source(path, HTTPOptions(), .automatic, SourceOpener()), stream: stream, store)
    }

    private static func steps(_ measurement: LoudnessMeasurement) async throws -> [LoudnessStep] {
        var steps: [LoudnessStep] = []
        while let step = try await measurement.next() { steps.append(step) }
        return steps
    }

    /// The last value of `key` that the filter `ebur128` of the `ffmpeg` command reports.
    private static func expected(_ path: String, _ stream: Int, _ key: String) throws -> Double {
        let filters = "ebur128=metadata=1:framelog=verbose,ametadata=print:key=\(key):file=-"
        let text = try FFmpegOracle(path: path).ffmpeg(
            ["-i", path, "-map", "0:\(stream)", "-af", filters, "-f", "null", "/dev/null"]
        )
        let values = text.split(separator: "\n").filter { $0.hasPrefix(key + "=") }
        return try #require(values.last.flatMap { Double($0.dropFirst(key.count + 1)) })
    }

    @Test(
        "gives the loudness that ffmpeg measures, with progress",
        arguments: [Clip.matroska, .mp4, .transportStream, .audioOnly]
    )
    func agreement(clip: Clip) async throws {
        let path = try clip.path()
        let steps = try await Self.steps(Self.measurement(of: path))
        let last = try #require(steps.last)
        let loudness = try #require(last.loudness)
        #expect(last.stream == (clip == .audioOnly ? 0 : 1))
        #expect(abs(loudness.integrated - (try Self.expected(path, last.stream, "lavfi.r128.I"))) <= 0.1)
        #expect(abs(loudness.range - (try Self.expected(path, last.stream, "lavfi.r128.LRA"))) <= 0.1)
        #expect(abs((loudness.duration - .seconds(13)).microseconds) < 100_000)
        #expect(steps.first?.progress == 0 && last.progress == 1)
        #expect(steps.map(\.progress) == steps.map(\.progress).sorted())
        #expect(steps.dropLast().allSatisfy { $0.loudness == nil })
    }

    @Test("A track is measured only once")
    func stored() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "engine-loudness-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = LoudnessStore(directory: folder.path)
        let path = try Clip.mp4.path()
        let first = try await Self.steps(Self.measurement(of: path, store))
        let again = try await Self.steps(Self.measurement(of: path, store))
        #expect(first.count > 1 && again.count == 1 && again.last == first.last)
    }

    @Test(
        "A stream that is not an audio track, one that does not exist, and a file without audio, are refused",
        arguments: [(0, "stream 0 of PATH is not an audio track"), (2, "PATH has no stream 2")]
    )
    func refusal(stream: Int, message: String) async throws {
        let path = try Clip.mp4.path()
        let wanted = message.replacing("PATH", with: path)
        await #expect { _ = try await Self.steps(Self.measurement(of: path, stream: stream)) } throws: {
            $0 as? EngineError == EngineError(.trackNotFound, wanted, cause: "audio tracks: [1]")
        }
        let silent = try Clip.elementary.path()
        await #expect { _ = try await Self.steps(Self.measurement(of: silent)) } throws: {
            ($0 as? EngineError)?.code == .trackNotFound
        }
    }

    @Test("A cancelled measurement fails and stores nothing")
    func cancelled() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "engine-loudness-\(UUID().uuidString)")
        let measurement = try Self.measurement(of: Clip.mp4.path(), LoudnessStore(directory: folder.path))
        _ = try await measurement.next()
        measurement.cancel()
        await #expect { _ = try await Self.steps(measurement) } throws: { ($0 as? EngineError)?.code == .cancelled }
        #expect(!FileManager.default.fileExists(atPath: folder.path))
    }
}
