// SPDX-License-Identifier: Apache-2.0

/// With which step of a `LatePolicy` each packet is decoded, so that no picture is shown whose references were left out. Pure.
struct LateGate {
    /// Packets behind a random access point among which some may refer to what was before it, where nothing says which.
    private static let most = 16

    private enum State {
        case whole
        /// References are missing up to the next random access point.
        case broken
        /// Pictures that are shown before the random access point, and refer to what was before it, may follow.
        case leading(key: Int64?, left: Int)
    }

    /// Whether others may refer to pictures that refer to later ones. Leaving those out would break what is shown.
    private let isLayered: Bool
    private var state = State.whole

    init(isLayered: Bool) { self.isLayered = isLayered }

    /// - Parameter shown: when the picture is shown, where that is known.
    mutating func step(_ wanted: LatePolicy.Step, isKey: Bool, shown: Int64?) -> LatePolicy.Step {
        if isKey {
            if case .broken = state { state = .leading(key: shown, left: Self.most) }
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

    private func usual(_ wanted: LatePolicy.Step) -> LatePolicy.Step {
        isLayered && wanted == .withoutBidirectional ? .withoutUnreferenced : wanted
    }
}
