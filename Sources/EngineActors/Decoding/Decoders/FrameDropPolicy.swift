// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel

/// Decides what a decoder skips when frames are late, the least visible first. Never changes the clock. Pure.
///
/// A late frame raises the step at once. The step falls by one after frames have been on time for a while.
package struct FrameDropPolicy {
    package enum Step: Int, Hashable, Comparable, CaseIterable {
        case everything
        /// No deblocking of frames that no other frame refers to.
        case rough
        case withoutUnreferenced
        case withoutBidirectional
        /// Random access points only.
        case keyframes

        package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }

        var skipping: VideoDecoder.Skipping {
            switch self {
            case .everything, .rough: .nothing
            case .withoutUnreferenced: .unreferenced
            case .withoutBidirectional: .bidirectional
            case .keyframes: .dependent
            }
        }

        var isRough: Bool { self > .everything }
    }

    /// How many requests in a row must be on time before the step falls by one.
    private static let patience = 12

    private(set) var step = Step.everything
    private var inTime = 0

    /// - Parameter late: by how much the latest frame missed its time; 0 or less if it did not.
    mutating func note(late: MediaTime) {
        let wanted = Self.step(for: late)
        if wanted > step {
            step = wanted
            inTime = 0
        } else if late <= .zero, step > .everything {
            inTime += 1
            guard inTime >= Self.patience else { return }
            inTime = 0
            step = Step(rawValue: step.rawValue - 1) ?? .everything
        } else {
            inTime = 0
        }
    }

    private static func step(for late: MediaTime) -> Step {
        switch late.microseconds {
        case ..<20_000: .everything
        case ..<60_000: .rough
        case ..<250_000: .withoutUnreferenced
        case ..<1_500_000: .withoutBidirectional
        default: .keyframes
        }
    }
}
