// SPDX-License-Identifier: Apache-2.0

/// How a session's player behaves.
package struct PlayerSettings: Hashable, Sendable {
    package var rateRange: ClosedRange<Double> = 0...2
    /// How long a phase may last before it is reported as stuck. Phases that are not listed have no limit.
    package var timeouts: [Phase.Name: Duration] = Self.defaultTimeouts

    /// How much of a live stream is kept, in time.
    package var dvrWindow = MediaTime.seconds(3600)
    /// How much of a live stream is kept, in bytes. `nil`: as much as the engine's own limit allows.
    package var dvrByteCount: Int64?

    /// How a session that is too far behind the live edge gets closer to it.
    package var chase = ChaseMode.off

    /// Whether subtitle files beside a source are found by their names.
    package var findsSubtitles = true

    /// The audio device for sessions that play inside the engine, as `AudioOutput` names it. `nil`: no device.
    package var audioDevice: String?

    package init() {}

    private static let defaultTimeouts = Dictionary(
        uniqueKeysWithValues: Phase.Name.allCases.compactMap { name in name.defaultTimeout.map { (name, $0) } }
    )

    /// The rates that a rate range may contain.
    package static let rates: ClosedRange<Double> = 0...16
    /// The longest timeout that may be set.
    package static let longestTimeout = Duration.seconds(86_400)

    /// Whether `range` lies within `rates` and includes normal speed (1).
    package static func isUsable(_ range: ClosedRange<Double>) -> Bool {
        rates.contains(range.lowerBound) && rates.contains(range.upperBound) && range.contains(1)
    }

    /// Zero means no limit.
    package mutating func setTimeout(_ timeout: Duration, of phase: Phase.Name) {
        timeouts[phase] = timeout > .zero ? timeout : nil
    }

    /// These settings with the overrides of one load applied.
    package func overridden(by options: LoadOptions) -> PlayerSettings {
        var settings = self
        if let range = options.rateRange { settings.rateRange = range }
        if let findsSubtitles = options.findsSubtitles { settings.findsSubtitles = findsSubtitles }
        if let window = options.dvrWindow { settings.dvrWindow = window }
        if let byteCount = options.dvrByteCount { settings.dvrByteCount = byteCount }
        if let chase = options.chase { settings.chase = chase }
        for (phase, timeout) in options.timeouts { settings.setTimeout(timeout, of: phase) }
        return settings
    }
}
