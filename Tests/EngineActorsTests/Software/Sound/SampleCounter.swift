// SPDX-License-Identifier: Apache-2.0

import EngineRuntime

/// Numbers the samples of a generation.
final class SampleCounter: Sendable {
    private let state = Locked((generation: UInt64(0), count: Int64(0)))

    func begin(_ generation: UInt64) { state.withLock { $0 = (generation, 0) } }

    /// - Returns: the number of the first of `count` samples; `nil` for those of another generation.
    func add(_ count: Int, _ generation: UInt64) -> Int64? {
        state.withLock { state in
            guard state.generation == generation else { return nil }
            defer { state.count += Int64(count) }
            return state.count
        }
    }
}
