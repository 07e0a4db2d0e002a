// SPDX-License-Identifier: Apache-2.0

internal import Bindings
internal import EngineModel

/// What a decoder leaves out when pictures come too late: what costs least to the eye first. Never the clock. Pure.
///
/// Becomes stricter at once, and milder a step at a time once pictures have been in time for a while.
struct LatePolicy {
    enum Step: Int, Hashable, Comparable, CaseIterable {
        case everything
        /// Edges between blocks stay where no other picture refers to them.
        case rough
        case withoutUnreferenced
        case withoutBidirectional
        /// Random access points alone.
        case keyframes

        static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }

        var leaving: VideoDecoder.Leaving {
            switch self {
            case .everything, .rough: .nothing
            case .withoutUnreferenced: .unreferenced
            case .withoutBidirectional: .bidirectional
            case .keyframes: .dependent
            }
        }

        var isRough: Bool { self > .everything }
    }

    /// Requests in time after which a step is taken back.
    private static let patience = 12

    private(set) var step = Step.everything
    private var inTime = 0

    /// - Parameter late: by how much the latest picture missed its time; 0 or less when it did not.
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
