// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// Decides from a few sampled times whether a source's clock runs evenly. Pure.
enum ClockSamples {
    /// The number of samples, equally spaced in the file.
    static let count = 16
    /// A step longer than this many median steps, plus a minute, contains a jump.
    private static let longest: Int128 = 8

    /// Whether the clock jumps. A jump forward that is small compared to the step between two samples is not detected.
    ///
    /// - Parameters:
    ///   - times: the sampled times, in file order, in ticks.
    ///   - minute: one minute in ticks.
    static func areUneven(_ times: [Int64], minute: Int64) -> Bool {
        let steps = zip(times, times.dropFirst()).map { Int128($1) - Int128($0) }
        guard !steps.isEmpty else { return false }
        let common = steps.sorted()[steps.count / 2]
        let limit = common * longest + Int128(minute)
        return steps.contains { $0 < 0 || $0 > limit }
    }
}
