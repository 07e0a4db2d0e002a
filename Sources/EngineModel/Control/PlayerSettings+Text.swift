// SPDX-License-Identifier: Apache-2.0

// Settings of a player as people write them.
extension PlayerSettings {
    /// `0:2`. `nil` when it is no range that a player can live with.
    package static func rateRange(_ text: some StringProtocol) -> ClosedRange<Double>? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { Double($0) }
        guard parts.count == 2, let lowest = parts[0], let highest = parts[1], lowest <= highest,
            isUsable(lowest...highest)
        else { return nil }
        return lowest...highest
    }

    /// Seconds, 0 for ever. `nil` when it is no time-out.
    package static func timeout(_ text: some StringProtocol) -> Duration? {
        guard let seconds = Double(text), (0...longestTimeout / .seconds(1)).contains(seconds) else { return nil }
        return .seconds(seconds)
    }
}
