// SPDX-License-Identifier: Apache-2.0

/// Decides for each packet which step of `FrameDropPolicy` applies, so that no frame is shown whose references were
/// skipped. Pure.
struct FrameDropGate {
    /// If presentation times are unknown, this many packets after a random access point are assumed to refer to frames
    /// before it.
    private static let leadingLimit = 16

    private enum State {
        case whole
        /// References are missing until the next random access point.
        case broken
        /// A random access point was decoded. Frames may follow that are shown before it and refer to frames before it.
        case leading(key: Int64?, left: Int)
    }

    /// Whether frames that refer to later frames (B-frames) may be references themselves. To skip such references would
    /// break frames that are shown.
    private let isLayered: Bool
    private var state = State.whole

    init(isLayered: Bool) { self.isLayered = isLayered }

    /// - Parameter shown: when the frame is shown, if known.
    mutating func step(_ wanted: FrameDropPolicy.Step, isKey: Bool, shown: Int64?) -> FrameDropPolicy.Step {
        if isKey {
            if case .broken = state { state = .leading(key: shown, left: Self.leadingLimit) }
            return wanted
        }
        if wanted == .keyframes { state = .broken }
        switch state {
        case .broken: return .keyframes
        case .leading(let key?, _):
            if let shown, shown < key { return .keyframes }
            state = .whole
        case .leading(nil, let left):
            state = left > 1 ? .leading(key: nil, left: left - 1) : .whole
            return isLayered ? usual(wanted) : max(wanted, .withoutBidirectional)
        case .whole: break
        }
        return usual(wanted)
    }

    private func usual(_ wanted: FrameDropPolicy.Step) -> FrameDropPolicy.Step {
        isLayered && wanted == .withoutBidirectional ? .withoutUnreferenced : wanted
    }
}
