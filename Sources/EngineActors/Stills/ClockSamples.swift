// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

/// What a few looks into a film say of its clock. Pure.
enum ClockSamples {
    /// Looks, equally far apart in the file.
    static let count = 16
    /// A stretch that lasts so many times as long as most do is one with a jump in it.
    private static let longest: Int128 = 8

    /// Whether the clock does not simply go on. A jump that is small beside the stretch between two looks is not seen.
    ///
    /// - Parameters:
    ///   - times: of what is there, in the order of the file, in ticks.
    ///   - minute: so many ticks.
    static func areUneven(_ times: [Int64], minute: Int64) -> Bool {
        let steps = zip(times, times.dropFirst()).map { Int128($1) - Int128($0) }
        guard !steps.isEmpty else { return false }
        let common = steps.sorted()[steps.count / 2]
        let limit = common * longest + Int128(minute)
        return steps.contains { $0 < 0 || $0 > limit }
    }
}
