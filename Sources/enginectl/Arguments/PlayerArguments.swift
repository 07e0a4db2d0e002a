// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineModel

/// Player settings of the session that differ from the engine's.
struct PlayerArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Report a notice when a phase lasts longer than this; 0 for no limit. Repeat for each phase.",
            valueName: "phase=seconds"
        )
    )
    var timeout: [PhaseTimeoutArgument] = []

    @Option(help: ArgumentHelp("The allowed playback rates; at most 0:16.", valueName: "min:max"))
    var rateRange: RateRangeArgument?

    func apply(to options: inout LoadOptions) {
        for argument in timeout { options.timeouts[argument.phase] = argument.timeout }
        if let rateRange { options.rateRange = rateRange.range }
    }
}

/// For example `buffering=30`.
struct PhaseTimeoutArgument: ExpressibleByArgument {
    let phase: Phase.Name
    let timeout: Duration

    init?(argument: String) {
        let parts = argument.split(separator: "=", omittingEmptySubsequences: false)
        guard parts.count == 2, let phase = Phase.Name(rawValue: String(parts[0])), phase.canTimeOut,
            let timeout = PlayerSettings.timeout(parts[1])
        else { return nil }
        self.phase = phase
        self.timeout = timeout
    }
}

/// For example `0:2`.
struct RateRangeArgument: ExpressibleByArgument {
    let range: ClosedRange<Double>

    init?(argument: String) {
        guard let range = PlayerSettings.rateRange(argument) else { return nil }
        self.range = range
    }
}
