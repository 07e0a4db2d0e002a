// SPDX-License-Identifier: Apache-2.0

// Parses player settings in their text form.
extension PlayerSettings {
    /// Parses a range such as `0:2`. `nil` if the text is not a usable rate range.
    package static func rateRange(_ text: some StringProtocol) -> ClosedRange<Double>? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { Double($0) }
        guard parts.count == 2, let lowest = parts[0], let highest = parts[1], lowest <= highest,
            isUsable(lowest...highest)
        else { return nil }
        return lowest...highest
    }

    /// Parses seconds; 0 means no limit. `nil` if the text is not a valid timeout.
    package static func timeout(_ text: some StringProtocol) -> Duration? {
        guard let seconds = Double(text), (0...longestTimeout / .seconds(1)).contains(seconds) else { return nil }
        return .seconds(seconds)
    }
}
