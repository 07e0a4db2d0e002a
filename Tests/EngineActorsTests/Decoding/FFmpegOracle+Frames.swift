// SPDX-License-Identifier: Apache-2.0

import EngineModel
import Testing

@testable import Bindings
@testable import Decoding

extension FFmpegOracle {
    /// Expects the engine to output the same frames as the `ffmpeg` command, at the same times relative to the first
    /// frame; no frame where the command outputs none.
    ///
    /// - Parameter hasTimes: whether the container has timestamps, without which the command does not know the times.
    func compareFrames(of stream: Int, hasTimes: Bool = true) async throws {
        let expected = try expectedFrames(of: stream)
        let found = try await frames(of: stream)
        #expect(found.map(\.digest) == expected.map(\.digest))
        guard hasTimes, found.count == expected.count, let first = found.first, let start = expected[0].microseconds
        else { return }
        let differences = zip(found, expected).map { shown, expected in
            (shown.time - first.time).microseconds - ((expected.microseconds ?? 0) - start)
        }
        #expect(differences.allSatisfy { abs($0) <= 1 }, "\(path): \(differences)")
    }

    /// Expects decoding from these fractions of the source's length to begin with the frame that is shown there, and to
    /// output the same frames as decoding from the start. Compares the first 12 frames or a few more.
    func compareEntries(of stream: Int, at fractions: [Double]) async throws {
        let all = try await frames(of: stream)
        guard let end = all.last?.end else {
            let expected = try expectedFrames(of: stream)
            #expect(expected.isEmpty)
            return
        }
        for fraction in fractions {
            let time = MediaTime.seconds(end.seconds * fraction)
            let found = try await frames(of: stream, from: time, limit: 12)
            let first = all.lastIndex { $0.time <= time } ?? 0
            #expect(found.count >= min(12, all.count - first), "\(path) from \(time.seconds) s")
            let expected = all[first...].prefix(found.count)
            #expect(found.map(\.digest) == expected.map(\.digest), "\(path) from \(time.seconds) s")
            #expect(found.map(\.time) == expected.map(\.time), "\(path) from \(time.seconds) s")
        }
    }
}
