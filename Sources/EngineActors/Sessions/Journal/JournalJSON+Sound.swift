// SPDX-License-Identifier: Apache-2.0

internal import EngineModel

extension JournalJSON.Sound {
    init(_ options: LoadOptions) {
        nightMode = options.sound.isNightMode
        dialogueLift = options.sound.dialogueLift
        loudnessTarget = options.sound.loudnessTarget
        levels = options.soundLevels?.sorted { $0.key < $1.key }.map { stream, loudness in
            Level(stream: stream, loudness: loudness.isFinite ? loudness : nil)
        }
    }

    /// Sets the options for audio. Values out of range, which no engine writes, are clamped.
    func apply(to options: inout LoadOptions) {
        let (lifts, targets) = (SoundTreatment.dialogueLifts, SoundTreatment.loudnessTargets)
        options.sound.isNightMode = nightMode
        options.sound.dialogueLift = min(max(dialogueLift, lifts.lowerBound), lifts.upperBound)
        options.sound.loudnessTarget = loudnessTarget.map { min(max($0, targets.lowerBound), targets.upperBound) }
        options.soundLevels = levels.map { levels in
            Dictionary(levels.map { ($0.stream, $0.loudness ?? -.infinity) }, uniquingKeysWith: { $1 })
        }
    }
}
