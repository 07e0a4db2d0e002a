// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import EngineModel

/// How audio is changed before it is played.
struct SoundArguments: ParsableArguments {
    @Flag(help: "Make quiet passages louder and loud ones quieter.")
    var nightMode = false

    @Option(help: ArgumentHelp("How much louder dialogue becomes: 0 … 12.", valueName: "decibels"))
    var dialogue: Double?

    @Option(
        name: .customLong("loudness"),
        parsing: .unconditional,
        help: ArgumentHelp(
            "The loudness to which measured tracks are brought: -40 … -10; -23 in broadcasting.",
            valueName: "LUFS"
        )
    )
    var loudnessTarget: Double?

    func validate() throws {
        if let dialogue, !SoundTreatment.dialogueLifts.contains(dialogue) {
            throw ValidationError("--dialogue must be from 0 to 12.")
        }
        if let loudnessTarget, !SoundTreatment.loudnessTargets.contains(loudnessTarget) {
            throw ValidationError("--loudness must be from -40 to -10.")
        }
    }

    var treatment: SoundTreatment {
        var treatment = SoundTreatment()
        treatment.isNightMode = nightMode
        treatment.dialogueLift = dialogue ?? 0
        treatment.loudnessTarget = loudnessTarget
        return treatment
    }
}
