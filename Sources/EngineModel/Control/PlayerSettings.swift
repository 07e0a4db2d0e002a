// SPDX-License-Identifier: Apache-2.0

/// How a session's player behaves.
package struct PlayerSettings: Hashable, Sendable {
    package var rateRange: ClosedRange<Double> = 0...2
    /// How long a phase may last before it is reported as stuck; a phase that is not in it may last for ever.
    package var timeouts: [Phase.Name: Duration] = Self.defaultTimeouts

    /// The device through which sessions that play inside the engine are heard, as `SoundOutput` names it. `nil`: through none.
    package var soundDevice: String?

    package init() {}

    private static let defaultTimeouts = Dictionary(
        uniqueKeysWithValues: Phase.Name.allCases.compactMap { name in name.defaultTimeout.map { (name, $0) } }
    )

    /// The rates that a range may be made of.
    package static let rates: ClosedRange<Double> = 0...16
    /// The longest time-out.
    package static let longestTimeout = Duration.seconds(86_400)

    /// Whether a player can live with `range`: normal playback is in it.
    package static func isUsable(_ range: ClosedRange<Double>) -> Bool {
        rates.contains(range.lowerBound) && rates.contains(range.upperBound) && range.contains(1)
    }

    /// Zero means for ever.
    package mutating func setTimeout(_ timeout: Duration, of phase: Phase.Name) {
        timeouts[phase] = timeout > .zero ? timeout : nil
    }

    /// These settings with what one load wants otherwise.
    package func overridden(by options: LoadOptions) -> PlayerSettings {
        var settings = self
        if let range = options.rateRange { settings.rateRange = range }
        for (phase, timeout) in options.timeouts { settings.setTimeout(timeout, of: phase) }
        return settings
    }
}
